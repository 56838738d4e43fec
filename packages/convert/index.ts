// The entry point of the converters: takes the text of a foreign file, and returns a document and its report. The
// server runs them in a thread.
import type { Converter } from './conversion';
import { convertGatus } from './gatus/convert-gatus';
import { convertHealthchecks } from './healthchecks';
import { convertPrometheusBlackbox } from './prometheus-blackbox/convert-prometheus-blackbox';
import { convertUptimeKuma } from './uptime-kuma/convert-uptime-kuma';
import { convertUptimeRobot } from './uptimerobot';

export {
  type ChannelRules,
  type Conversion,
  CONVERSION_RESULTS,
  type ConversionResult,
  type ReportEntry,
} from './conversion';

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
