#include "trace/image/file.h"

#include <errno.h>
#include <string.h>
#include <xxhash.h>

static void put(struct image_file *image, const void *bytes, size_t size)
{
    if (!size)
        return;
    if (!image->error && fwrite(bytes, 1, size, image->file) != size)
        image->error = errno ? errno : EIO;
    if (image->hash)
        XXH3_64bits_update(image->hash, bytes, size);
    image->at += size;
}

void image_file_begin(struct image_file *image, FILE *file)
{
    static const struct image_header none;
    *image = (struct image_file){.file = file};
    put(image, &none, sizeof none); /* no magic number until the rest is written */
    image->hash = XXH3_createState();
    if (!image->hash || XXH3_64bits_reset(image->hash) != XXH_OK)
        image->error = ENOMEM;
}

struct image_part image_file_append(struct image_file *image, const void *records, uint64_t count,
                                    size_t size)
{
    static const unsigned char zeros[IMAGE_ALIGNMENT];
    put(image, zeros, (size_t)(image_aligned(image->at) - image->at));
    struct image_part part = {.at = image->at, .count = count};
    put(image, records, (size_t)count * size);
    return part;
}

int image_file_finish(struct image_file *image, struct image_header *header)
{
    memcpy(header->magic, IMAGE_MAGIC, sizeof header->magic);
    header->version = IMAGE_VERSION;
    header->byte_order = IMAGE_BYTE_ORDER;
    header->call_bytes = sizeof(struct call);
    header->rank_bytes = sizeof(struct image_rank);
    header->file_bytes = image->at;
    header->checksum = image->error ? 0 : XXH3_64bits_digest(image->hash);
    if (!image->error &&
        (fseek(image->file, 0, SEEK_SET) || fwrite(header, sizeof *header, 1, image->file) != 1))
        image->error = errno ? errno : EIO;
    if (!image->error && fflush(image->file))
        image->error = errno;
    image_file_abandon(image);
    return image->error;
}

void image_file_abandon(struct image_file *image)
{
    XXH3_freeState(image->hash);
    image->hash = NULL;
}
