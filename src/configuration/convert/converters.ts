import type { Converter } from './conversion';
import { convertGatus } from './gatus/convert-gatus';
import { convertHealthchecks } from './healthchecks';
import { convertUptimeRobot } from './uptimerobot';

/** By the name of the program whose files they read. */
export const CONVERTERS = {
  gatus: convertGatus,
  healthchecks: convertHealthchecks,
  uptimerobot: convertUptimeRobot,
} as const satisfies Record<string, Converter>;

export type ForeignProgram = keyof typeof CONVERTERS;
export const FOREIGN_PROGRAMS = Object.keys(CONVERTERS) as ForeignProgram[];
