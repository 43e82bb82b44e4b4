import type { Command } from 'commander';
import type { DoctorFlags } from '../cli/doctor.js';

/** Adds `palimpsest doctor`. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description(
      'Say what is wrong in an event log that cannot be read, and write a repaired copy. The log stays as it is.',
    )
    .argument('<file>', 'the log, a .jsonl file')
    .option('--output <file>', 'the repaired copy; without it beside the log, as NAME.repaired.jsonl')
    .action(async (file: string, flags: DoctorFlags) => {
      const { doctorCommand } = await import('../cli/doctor.js');
      const { processContext } = await import('../context.js');
      process.exitCode = await doctorCommand(file, flags, processContext());
    });
}
