/**
 * The shell script that starts a command, so that its processes end with the process that asked for it, however that one
 * ends: killed, too, it closes its end of descriptor 3. The script's watcher reads there until the end. It then ends the
 * processes that carry the marker, which moved to a session of their own, and its own process group, in which the command is.
 * It hears no signal that a command sends to its own group, and no program has it for a child.
 *
 * Its arguments: the marker, then the program with its arguments.
 *
 * @param streams - `one`: standard error goes where standard output goes, so that lines come in the order in which they were written
 */
export const supervisor = (streams: ProgramStreams): string => `
marker=$1
shift
(
  {
    trap '' TERM INT HUP QUIT USR1 USR2
    exec >/dev/null 2>&1
    read -r closed <&3
    for round in 1 2 3; do
      for found in $(grep -lF -- "$marker" /proc/[0-9]*/environ); do
        found=\${found#/proc/}
        kill -KILL "\${found%%/*}"
      done
    done
    kill -KILL 0
  } &
  echo $! >&3
)
exec 3>&-${streams === 'one' ? ' 2>&1' : ''}
export ${'PALIMPSEST_COMMAND'}="$marker"
exec "$@"
`;

/** Where a program writes: one pipe for all, or one each, and then it has an input too. */
export type ProgramStreams = 'one' | 'three';

/** The variable by which the processes of a command are found, wherever they moved. */
export const markerName = 'PALIMPSEST_COMMAND';
