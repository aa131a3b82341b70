/* From records to events: what of a call's arguments counts. */
#include "base/mem.h"
#include "trace/dumpi/communicators.h"

/* A list of 32-bit numbers, kept with all others. */
static uint32_t keep(struct dumpi_comms *comms, const struct dumpi_list *list)
{
    uint32_t *items = mem_alloc(list->count, sizeof *items, "lists of ranks");
    for (uint32_t i = 0; i < list->count; i++)
        items[i] = (uint32_t)dumpi_list_at(list, i);
    uint32_t kept = dumpi_lists_add(&comms->lists, items, list->count);
    free(items);
    return kept;
}

/* The ranges of MPI_Group_range_incl: each is a list of three numbers, behind its length. */
static uint32_t keep_ranges(struct dumpi_comms *comms, const struct dumpi_list *ranges)
{
    const unsigned char *at = ranges->bytes;
    size_t count = 0, capacity = 0;
    uint32_t *items = NULL;
    for (uint32_t i = 0; i < ranges->count; i++) {
        uint32_t length = dumpi_u32(at);
        at += 4;
        items = mem_grow(items, &capacity, count + 3, "lists of ranks");
        for (uint32_t j = 0; j < length; j++, at += 4)
            if (j < 3)
                items[count + j] = dumpi_u32(at);
        for (uint32_t j = length; j < 3; j++)
            items[count + j] = 0; /* a range from 0 to 0 in steps of 0, which is refused */
        count += 3;
    }
    uint32_t kept = dumpi_lists_add(&comms->lists, items, (uint32_t)count);
    free(items);
    return kept;
}

uint16_t dumpi_made_handle(const struct dumpi_record *record)
{
    static const uint8_t places[DUMPI_FUNCTIONS] = {
        [DUMPI_COMM_DUP] = 1,           [DUMPI_COMM_CREATE] = 2,
        [DUMPI_COMM_SPLIT] = 3,         [DUMPI_CART_CREATE] = 3,
        [DUMPI_INTERCOMM_CREATE] = 5,   [DUMPI_INTERCOMM_MERGE] = 2,
        [DUMPI_GRAPH_CREATE] = 4,       [DUMPI_CART_SUB] = 2,
        [DUMPI_COMM_GET_PARENT] = 0,    [DUMPI_COMM_ACCEPT] = 3,
        [DUMPI_COMM_CONNECT] = 3,       [DUMPI_COMM_JOIN] = 1,
        [DUMPI_COMM_SPAWN] = 3,         [DUMPI_COMM_SPAWN_MULTIPLE] = 4,
        [DUMPI_COMM_GROUP] = 1,         [DUMPI_GROUP_UNION] = 2,
        [DUMPI_GROUP_INTERSECTION] = 2, [DUMPI_GROUP_DIFFERENCE] = 2,
        [DUMPI_GROUP_INCL] = 2,         [DUMPI_GROUP_EXCL] = 2,
        [DUMPI_GROUP_RANGE_INCL] = 2,   [DUMPI_WIN_GET_GROUP] = 1,
        [DUMPI_GROUP_RANGE_EXCL] = 2,   [DUMPI_COMM_REMOTE_GROUP] = 1,
        [DUMPI_FILE_GET_GROUP] = 1,
    };
    return (uint16_t)record->values[places[record->function]];
}

/* By the layouts of functions.def. */
static struct dumpi_event event_of(struct dumpi_comms *comms, const struct dumpi_record *record)
{
    const int32_t *v = record->values;
    struct dumpi_event event = {
        .at = record->at, .function = record->function, .a = (uint16_t)v[0], .c = dumpi_made_handle(record)};
    switch (record->function) {
    case DUMPI_COMM_CREATE:
    case DUMPI_GROUP_UNION:
    case DUMPI_GROUP_INTERSECTION:
    case DUMPI_GROUP_DIFFERENCE:
        event.b = (uint16_t)v[1];
        break;
    case DUMPI_COMM_SPLIT:
        event.x = v[1];
        event.y = v[2];
        break;
    case DUMPI_INTERCOMM_CREATE:
        event.x = v[1];
        event.b = (uint16_t)v[2];
        event.y = v[3];
        event.z = v[4];
        break;
    case DUMPI_INTERCOMM_MERGE:
        event.x = v[1];
        break;
    case DUMPI_GRAPH_CREATE:
        event.a = (uint16_t)v[1];
        event.x = v[2];
        break;
    case DUMPI_CART_SUB:
        event.a = (uint16_t)v[1];
        event.list = keep(comms, &record->lists[0]);
        break;
    case DUMPI_CART_CREATE:
    case DUMPI_GROUP_INCL:
    case DUMPI_GROUP_EXCL:
        event.list = keep(comms, &record->lists[0]);
        break;
    case DUMPI_GROUP_RANGE_INCL:
    case DUMPI_GROUP_RANGE_EXCL:
        event.list = keep_ranges(comms, &record->lists[0]);
        break;
    default:
        break;
    }
    return event;
}

void dumpi_comms_add(struct dumpi_comms *comms, uint32_t rank, const struct dumpi_record *record)
{
    struct dumpi_maker *maker = &comms->makers[rank];
    maker->events =
        mem_grow(maker->events, &maker->capacity, maker->count + 1, "calls that make communicators");
    maker->events[maker->count++] = event_of(comms, record);
}
