#!/bin/sh
# Registration in five levels as a shell script: each level is a command that is run once.
#
#     sh levels.sh FOLDER PRM PRM PRM PRM PRM
#
# A level reads what the level before has written, so its content identifies it: equal beginnings are found, and also levels that
# turn out to give the same bytes.
set -eu
folder=$1
shift
printf '1\n2\n3\n' > vec.0
level=0
for prm in "$@"; do
    before=$level
    level=$((level + 1))
    onceflow memo --store "$folder" --explain --reads "vec.$before" --writes "vec.$level" -- \
        awk -v prm="$prm" -v out="vec.$level" '{ print $1 * prm + NR > out }' "vec.$before"
done
cat "vec.$level"
