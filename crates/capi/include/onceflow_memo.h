/* Blocks of a C program whose results are kept.
 *
 * A block begins with attributes, which identify its result, and ends with products. When the attributes are known, the
 * products come from the store and the block is not computed:
 *
 *     onceflow_store *store = onceflow_open(NULL, "registration", "1");
 *     onceflow_block *block = onceflow_begin(store, "register");
 *     onceflow_attribute_text(block, "image", name);
 *     if (onceflow_known(block) != 1)
 *         compute(vec);
 *     onceflow_product(block, "vec", vec, bytes);      taken when it is known, else kept
 *     onceflow_end(block);
 *     onceflow_close(store);
 *
 * Functions that return int give 0 (onceflow_known: 1 or 0), or -1 after an error, whose words onceflow_error() gives.
 * A NULL store or block is no error: then everything is computed, and nothing is kept. A store may be used by several threads at
 * once, a block by one at a time. A block that begins itself with the same attributes, that records values of a history while it is
 * computed, or whose file was changed before it ended is not kept: onceflow_known or onceflow_end gives -1. Nothing is promised for products of other lengths under the same attributes: raise the version
 * of the program when its code or its products change.
 *
 * Link with -lonceflow_memo_c. ONCEFLOW_MEMO_AUDIT=1 computes known blocks too, and onceflow_end fails where the bytes differ.
 */
#ifndef ONCEFLOW_MEMO_H
#define ONCEFLOW_MEMO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct onceflow_store onceflow_store;
typedef struct onceflow_block onceflow_block;

/* Opens the store in a folder; NULL: that of ONCEFLOW_STORE, else the user's. "none" gives NULL: nothing is kept. Results are those
 * of a program and its version. NULL after an error. */
onceflow_store *onceflow_open(const char *folder, const char *program, const char *version);

/* Waits until everything is kept, and closes the store. Blocks that have not ended keep it open. */
int onceflow_close(onceflow_store *store);

/* Waits until everything that has ended is kept: no kill and no loss of power takes it any more. */
int onceflow_flush(onceflow_store *store);

/* Adds a value to the history of a variable that a branch decides or a loop carries; and begins its history again. */
int onceflow_history_add(onceflow_store *store, const char *variable, const void *value, size_t bytes);
int onceflow_history_clear(onceflow_store *store, const char *variable);

/* Begins a block. */
onceflow_block *onceflow_begin(onceflow_store *store, const char *name);

/* Attributes: what identifies the result. Their order does not matter; each name stands once. */
int onceflow_attribute(onceflow_block *block, const char *name, const void *value, size_t bytes);
int onceflow_attribute_text(onceflow_block *block, const char *name, const char *value);
int onceflow_attribute_real(onceflow_block *block, const char *name, double value);
int onceflow_attribute_integer(onceflow_block *block, const char *name, int64_t value);
/* The content of a file, which is read once while it stays as it is. */
int onceflow_attribute_file(onceflow_block *block, const char *path);
/* All values of a variable until now, as 32 bytes. */
int onceflow_attribute_history(onceflow_block *block, const char *variable);

/* 1 when the products are known and the block need not be computed, 0 when not, -1 after an error. */
int onceflow_known(onceflow_block *block);

/* After onceflow_known, and after the block was computed where it was not known: fills memory with a product of exactly these
 * bytes, or keeps it. The bytes are copied. */
int onceflow_product(onceflow_block *block, const char *name, void *value, size_t bytes);
/* The same for a file: restores it, or keeps what was written. */
int onceflow_product_file(onceflow_block *block, const char *name, const char *path);

/* Ends a block, or gives it up. It must not be used afterwards. */
int onceflow_end(onceflow_block *block);
int onceflow_abandon(onceflow_block *block);

/* Writes the smallest attributes of the target of a described flow graph as text, as `onceflow plan FILE --attributes` prints
 * them. Gives the bytes of the whole text with its end, which may be more than there is room for; -1 after an error. */
long onceflow_attributes(const char *path, char *text, size_t bytes);

/* What went wrong last in this thread, until the next error. Never NULL. */
const char *onceflow_error(void);

/* The version of the library. */
const char *onceflow_version(void);

#ifdef __cplusplus
}
#endif

#endif
