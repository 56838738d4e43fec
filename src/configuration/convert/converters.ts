import type { Converter } from './conversion';
import { convertGatus } from './gatus/convert-gatus';
import { markVariables } from './gatus/variables';
import { convertHealthchecks } from './healthchecks';
import { convertPrometheusBlackbox } from './prometheus-blackbox/convert-prometheus-blackbox';
import { withoutBinary } from './prometheus-blackbox/source';
import { convertUptimeKuma } from './uptime-kuma/convert-uptime-kuma';
import { convertUptimeRobot } from './uptimerobot';

/** By the name of the program whose files they read. */
export const CONVERTERS = {
  gatus: convertGatus,
  healthchecks: convertHealthchecks,
  'prometheus-blackbox': convertPrometheusBlackbox,
  'uptime-kuma': convertUptimeKuma,
  uptimerobot: convertUptimeRobot,
} as const satisfies Record<string, Converter>;

export type ForeignProgram = keyof typeof CONVERTERS;
export const FOREIGN_PROGRAMS = Object.keys(CONVERTERS) as ForeignProgram[];

/** What a converter makes of a text before it reads it, where that is another text: it is read aside like that. */
export const PREPARED: Partial<Record<ForeignProgram, (text: string) => string>> = {
  gatus: markVariables,
  'prometheus-blackbox': withoutBinary,
};
