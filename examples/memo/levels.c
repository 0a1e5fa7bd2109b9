/* Registration in five levels, as in the data-minimisation paper: each level refines the vectors of the level before. A level is
 * identified by the names of the images and the values of `prm` until then: 52 bytes instead of 683 MB.
 *
 *     cc examples/memo/levels.c -Icrates/capi/include -Ltarget/release -Wl,-rpath,$PWD/target/release -lonceflow_memo_c -lm -o levels
 *     ./levels FOLDER IMAGE IMAGE PRM PRM PRM PRM PRM
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onceflow_memo.h"

enum { COUNT = 1000 };

/* Stands for hours of computing. */
static void refine(double *vec, const char *n1, const char *n2, double prm)
{
    double names = 0;
    for (const char *c = n1; *c; c++)
        names += *c;
    for (const char *c = n2; *c; c++)
        names += *c;
    for (int i = 0; i < COUNT; i++)
        vec[i] = (vec[i] + names + i) * prm / (1 + fabs(vec[i]));
}

/* A result is worth more than its store: what goes wrong is said, and computed. */
static void warn(int result)
{
    if (result < 0)
        fprintf(stderr, "warning: %s\n", onceflow_error());
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: levels FOLDER IMAGE IMAGE PRM...\n");
        return 2;
    }
    const char *n1 = argv[2], *n2 = argv[3];
    onceflow_store *store = onceflow_open(argv[1], "levels in C", "1");
    if (store == NULL)
        fprintf(stderr, "warning: nothing is kept: %s\n", onceflow_error());
    static double vec[COUNT];
    int computed = 0, levels = argc - 4;
    for (int level = 0; level < levels; level++) {
        double prm = atof(argv[4 + level]);
        warn(onceflow_history_add(store, "prm", &prm, sizeof prm));
        onceflow_block *block = onceflow_begin(store, "register");
        warn(onceflow_attribute_text(block, "n1", n1));
        warn(onceflow_attribute_text(block, "n2", n2));
        warn(onceflow_attribute_history(block, "prm"));
        if (onceflow_known(block) != 1) {
            refine(vec, n1, n2, prm);
            computed++;
        }
        warn(onceflow_product(block, "vec", vec, sizeof vec));
        warn(onceflow_end(block));
    }
    double sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum += vec[i];
    printf("%d of %d levels computed, sum %.6f\n", computed, levels, sum);
    warn(onceflow_close(store));
    return 0;
}
