# Waits for the end of a run and ends the programs it left running. Lines of standard input: `+ G` and `- G`, a group of
# processes started and ended; `@ P N` and `~ P N`, a container N of the program P did; `.`, the run is over and left nothing.
trap '' HUP INT TERM
groups=' ' containers=' '
while read -r sign name rest; do
  case $sign in
    +) groups="$groups$name " ;;
    -) groups="${groups%% "$name" *} ${groups#* "$name" }" ;;
    @) containers="$containers$name=$rest " ;;
    '~') containers="${containers%% "$name=$rest" *} ${containers#* "$name=$rest" }" ;;
    .) exit 0 ;;
  esac
done
for group in $groups; do kill -KILL -- "-$group" 2>/dev/null; done
for container in $containers; do "${container%%=*}" kill "${container#*=}" >/dev/null 2>&1; done
# A process that left its group, or started at the last moment, still has the name of the run in its environment.
for round in 1 2 3; do
  for found in $(grep -lsz "^ONCEFLOW_RUN=$1\$" /proc/[0-9]*/environ 2>/dev/null); do
    found=${found#/proc/}
    kill -KILL "${found%/environ}" 2>/dev/null
  done
  sleep 0.1
done
