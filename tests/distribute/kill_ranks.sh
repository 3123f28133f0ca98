#!/usr/bin/env bash
# kill_ranks.sh LAUNCHER MORAINE FOLDER KILLS: a run of two ranks under the launcher in which one rank is killed KILLS times,
# each time at a random moment after it has written a checkpoint. Prints the number of kills that hit and the summary of the run.
set -uo pipefail
launcher=$1 moraine=$2 folder=$3 kills=$4
checkpoint=$folder/run
export MORAINE=$moraine
steps=$((2000 + 8000 * kills))

"$launcher" -n 2 -c "$checkpoint" -- bowl --param count=60 --steps "$steps" --checkpoint-every 50 --json \
    >"$folder/out" 2>"$folder/err" &
job=$!

# Ranks only: the command line of mpirun and of the launcher begins otherwise.
ranks() { pgrep -f "^$moraine run .*$checkpoint( |$)"; }

parent() { ps -o ppid= -p "$1" 2>/dev/null; }
newest() { stat -c %.Y "$checkpoint"* 2>/dev/null | sort -n | tail -1; }

hits=0
while ((hits < kills)) && kill -0 "$job" 2>/dev/null; do
    mapfile -t pids < <(ranks)
    # Two of one run: those of the last one may not have ended yet.
    if ((${#pids[@]} != 2)) || [[ $(parent "${pids[0]}") != $(parent "${pids[1]}") ]]; then
        sleep 0.05
        continue
    fi
    last=$(newest)
    while [[ $(newest) == "$last" ]] && kill -0 "${pids[0]}" 2>/dev/null; do sleep 0.01; done
    sleep "$(printf '0.%03d' $((RANDOM % 50)))"
    kill -KILL "${pids[$((RANDOM % 2))]}" 2>/dev/null || continue
    hits=$((hits + 1))
    # The other rank ends with it, then the launcher starts both again.
    while kill -0 "${pids[0]}" 2>/dev/null || kill -0 "${pids[1]}" 2>/dev/null; do sleep 0.05; done
done
wait "$job"
status=$?
echo "kills $hits status $status steps $steps"
grep -o '"state_hash":"[0-9a-f]*"' "$folder/out" | tail -1
grep -c 'starting again' "$folder/err"
exit "$status"
