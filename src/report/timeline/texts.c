#include <stdio.h>

#include "report/timeline/internal.h"

static const char *const part_names[TAP_PARTS + 1] = {
    [TAP_PART_WAIT] = "wait",       [TAP_PART_HANDSHAKE] = "handshake", [TAP_PART_SOFTWARE] = "software",
    [TAP_PART_BUS] = "bus",         [TAP_PART_ACQUIRE] = "acquire",     [TAP_PART_QUEUE] = "queue",
    [TAP_PART_SWITCH] = "switch",   [TAP_PART_TRANSFER] = "transfer",   [TAP_PART_WIRE] = "wire",
    [TAP_PART_RELEASE] = "release", [TAP_PART_STORED] = "stored",       [PART_UNNAMED] = "fabric",
};

const char *timeline_part_name(uint32_t part)
{
    return part_names[part];
}

const char *timeline_burst_name(enum timeline_burst_note note)
{
    static const char *const names[BURST_NOTES] = {
        [BURST_RECORDED_NS] = "recorded_ns",   [BURST_PROCESSOR_NS] = "processor_ns",
        [BURST_INSTRUCTIONS] = "instructions", [BURST_AFTER] = "after_call_site",
        [BURST_BEFORE] = "before_call_site",
    };
    return names[note];
}

const char *timeline_wait_text(const struct timeline_wait *wait, char *text, size_t size)
{
    text[0] = '\0';
    if (wait->peer == TAP_NOBODY)
        return text;
    if (wait->cause == CALL_SEND)
        snprintf(text, size, "rank %u, to receive", wait->peer);
    else if (wait->cause == CALL_RECV || wait->cause == CALL_SENDRECV)
        snprintf(text, size, "a message from rank %u", wait->peer);
    else
        snprintf(text, size, "rank %u in %s", wait->peer, call_op_name(wait->cause));
    return text;
}
