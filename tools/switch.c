/* An Ethernet switch in user space that delays each frame. tools/cluster uses it as the network when
 * CLUSTER_DELAY is set; kernels often lack netem, which could do the same.
 *
 *   helio-cluster-switch DELAY NAMESPACE...      DELAY as in 50us, 2ms
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

enum { PORTS_MAX = 256, FRAME_MAX = 2048, FRAMES = 16384, ADDRESS = 6, ADDRESSES = 4 * PORTS_MAX };

struct frame {
    int64_t due_ns;
    int from; /* port number */
    size_t bytes;
    unsigned char data[FRAME_MAX];
};

struct learned {
    unsigned char address[ADDRESS];
    int port;
};

/* All frames wait for the same time, so they leave in the order in which they came. */
static struct {
    int64_t delay_ns;
    int ports;
    struct pollfd port[PORTS_MAX];
    struct frame frames[FRAMES]; /* a ring */
    uint64_t came, left;         /* frames so far */
    struct learned learned[ADDRESSES];
    int learned_count;
} self;

/* ------------------------------------------------------------------ set-up */

static bool read_delay(const char *text)
{
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
static void learn(const struct frame *frame)
{
    const unsigned char *source = frame->data + ADDRESS;
    struct learned *known = find(source);
    if (!known && self.learned_count < ADDRESSES) {
        known = &self.learned[self.learned_count++];
        memcpy(known->address, source, ADDRESS);
    }
    if (known)
        known->port = frame->from;
}

/* Sends the frame to the port that has its destination, or to all ports if none is known. A frame that a port
 * does not accept is lost, as on any switch. */
static void deliver(const struct frame *frame)
{
    const struct learned *known = find(frame->data);
    for (int port = 0; port < self.ports; port++)
        if (port != frame->from && (!known || known->port == port) &&
            write(self.port[port].fd, frame->data, frame->bytes) < 0 && errno != EAGAIN && errno != EIO)
            perror("helio-cluster-switch: a frame is lost");
}

static void receive(int port)
{
    while (self.came - self.left < FRAMES) {
        struct frame *frame = &self.frames[self.came % FRAMES];
        ssize_t bytes = read(self.port[port].fd, frame->data, FRAME_MAX);
        if (bytes < 2 * ADDRESS)
            return;
        frame->bytes = (size_t)bytes;
        frame->from = port;
        frame->due_ns = now_ns() + self.delay_ns;
        self.came++;
        learn(frame);
    }
}

static void run_switch(void)
{
    for (;;) {
        struct timespec wait = {.tv_sec = 3600};
        int64_t now = now_ns();
        while (self.left < self.came && self.frames[self.left % FRAMES].due_ns <= now)
            deliver(&self.frames[self.left++ % FRAMES]);
        if (self.left < self.came) {
            int64_t ns = self.frames[self.left % FRAMES].due_ns - now;
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
        fprintf(stderr, "usage: helio-cluster-switch DELAY NAMESPACE... (tools/cluster starts it)\n");
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
