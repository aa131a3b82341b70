/* An Ethernet switch in user space that delays each frame, and takes frames from a port at a limited rate.
 * tools/cluster uses it as the network when CLUSTER_DELAY is set; kernels often lack netem, which could do
 * the same.
 *
 *   helio-cluster-switch DELAY[,RATE] NAMESPACE...      DELAY as in 50us, 2ms; RATE in Mb/s of frames, 200
 *
 * Makes the interface eth0 in each of these network namespaces, prints "ready" to standard output, and runs
 * until it or its parent process is killed; the interfaces then disappear. Exit status: 2 wrong usage; 1 an
 * interface cannot be made. */
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { PORTS_MAX = 256, FRAME_MAX = 2048, FRAMES = 8192, ADDRESS = 6, ADDRESSES = 4 * PORTS_MAX };

struct frame {
    int64_t due_ns;
    size_t bytes;
    unsigned char data[FRAME_MAX];
};

struct learned {
    unsigned char address[ADDRESS];
    int port;
};

/* Frames of one port leave in the order in which they came: each takes its time at the rate, and then waits
 * as long as all others. */
struct queue {
    struct frame *frames; /* a ring */
    uint64_t came, left;  /* frames so far */
    int64_t free_ns;      /* when the last frame has been taken from the port */
};

static struct {
    int64_t delay_ns;
    double ns_per_byte; /* 0: no limit */
    int ports;
    struct pollfd port[PORTS_MAX];
    struct queue queues[PORTS_MAX];
    struct learned learned[ADDRESSES];
    int learned_count;
} self;

/* ------------------------------------------------------------------ set-up */

static bool read_rate(const char *text)
{
    char *end;
    double mbits = strtod(text, &end);
    if (end == text || *end || !(mbits >= 0.1) || !(mbits <= 1e6)) {
        fprintf(stderr,
                "helio-cluster-switch: a rate from 0.1 to 1000000 Mb/s, such as 200, is expected, not '%s'\n",
                text);
        return false;
    }
    self.ns_per_byte = 8e3 / mbits;
    return true;
}

/* The delay, and the rate behind a comma. */
static bool read_delay(char *text)
{
    char *rate = strchr(text, ',');
    if (rate) {
        *rate = '\0';
        if (!read_rate(rate + 1))
            return false;
    }
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}};
    char *unit;
    double value = strtod(text, &unit);
    for (size_t i = 0; unit != text && i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].name) == 0 && value >= 0 && value * units[i].ns < 1e10) {
            self.delay_ns = (int64_t)(value * units[i].ns);
            return true;
        }
    fprintf(stderr, "helio-cluster-switch: a delay below 10 s, such as 50us or 2ms, is expected, not '%s'\n",
            text);
    return false;
}

static bool fail(const char *what, const char *name)
{
    fprintf(stderr, "helio-cluster-switch: %s %s: %s\n", what, name, strerror(errno));
    return false;
}

static bool open_port(const char *name)
{
    char path[256];
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
    snprintf(path, sizeof path, "/run/netns/%s", name);
    snprintf(request.ifr_name, sizeof request.ifr_name, "eth0");
    int space = open(path, O_RDONLY | O_CLOEXEC);
    if (space < 0)
        return fail("cannot open", path);
    bool entered = setns(space, CLONE_NEWNET) == 0;
    close(space);
    if (!entered)
        return fail("cannot enter", path);
    int port = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (port < 0)
        return fail("cannot open", "/dev/net/tun");
    if (ioctl(port, TUNSETIFF, &request) != 0)
        return fail("cannot make eth0 in", name);
    struct frame *frames = calloc(FRAMES, sizeof *frames);
    if (!frames)
        return fail("no memory for the frames of", name);
    self.queues[self.ports].frames = frames;
    self.port[self.ports++] = (struct pollfd){.fd = port, .events = POLLIN};
    return true;
}

/* --------------------------------------------------------------- switching */

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static struct learned *find(const unsigned char *address)
{
    for (int i = 0; i < self.learned_count; i++)
        if (memcmp(self.learned[i].address, address, ADDRESS) == 0)
            return &self.learned[i];
    return NULL;
}

/* The source of a frame is behind the port from which it came. */
static void learn(const struct frame *frame, int port)
{
    const unsigned char *source = frame->data + ADDRESS;
    struct learned *known = find(source);
    if (!known && self.learned_count < ADDRESSES) {
        known = &self.learned[self.learned_count++];
        memcpy(known->address, source, ADDRESS);
    }
    if (known)
        known->port = port;
}

/* Sends the frame to the port that has its destination, or to all ports if none is known. A frame that a port
 * does not accept is lost, as on any switch. */
static void deliver(const struct frame *frame, int from)
{
    const struct learned *known = find(frame->data);
    for (int port = 0; port < self.ports; port++)
        if (port != from && (!known || known->port == port) &&
            write(self.port[port].fd, frame->data, frame->bytes) < 0 && errno != EAGAIN && errno != EIO)
            perror("helio-cluster-switch: a frame is lost");
}

static void receive(int port)
{
    struct queue *queue = &self.queues[port];
    while (queue->came - queue->left < FRAMES) {
        struct frame *frame = &queue->frames[queue->came % FRAMES];
        ssize_t bytes = read(self.port[port].fd, frame->data, FRAME_MAX);
        if (bytes < 2 * ADDRESS)
            return;
        int64_t now = now_ns();
        if (queue->free_ns < now)
            queue->free_ns = now;
        queue->free_ns += (int64_t)((double)bytes * self.ns_per_byte);
        frame->bytes = (size_t)bytes;
        frame->due_ns = queue->free_ns + self.delay_ns;
        queue->came++;
        learn(frame, port);
    }
}

/* Sends what is due; returns when the next frame is, INT64_MAX if there is none. */
static int64_t send_due(int port)
{
    struct queue *queue = &self.queues[port];
    int64_t now = now_ns();
    while (queue->left < queue->came && queue->frames[queue->left % FRAMES].due_ns <= now)
        deliver(&queue->frames[queue->left++ % FRAMES], port);
    /* A port whose ring is full is not read: its frames wait in the kernel. */
    self.port[port].events = queue->came - queue->left < FRAMES ? POLLIN : 0;
    return queue->left < queue->came ? queue->frames[queue->left % FRAMES].due_ns : INT64_MAX;
}

static void run_switch(void)
{
    for (;;) {
        struct timespec wait = {.tv_sec = 3600};
        int64_t next = INT64_MAX;
        for (int port = 0; port < self.ports; port++) {
            int64_t due = send_due(port);
            next = due < next ? due : next;
        }
        if (next < INT64_MAX) {
            int64_t left = next - now_ns(), ns = left > 0 ? left : 0;
            wait = (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
        }
        if (ppoll(self.port, (nfds_t)self.ports, &wait, NULL) <= 0)
            continue;
        for (int port = 0; port < self.ports; port++)
            if (self.port[port].revents & POLLIN)
                receive(port);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc - 2 > PORTS_MAX) {
        fprintf(stderr, "usage: helio-cluster-switch DELAY[,RATE] NAMESPACE... (tools/cluster starts it)\n");
        return 2;
    }
    if (!read_delay(argv[1]))
        return 2;
    for (int i = 2; i < argc; i++)
        if (!open_port(argv[i]))
            return 1;
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); /* the default would delay each frame by up to 50 us more */
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    puts("ready");
    fflush(stdout);
    run_switch();
}
