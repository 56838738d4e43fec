// The converters' entry point. It takes the text of a source file and returns a document and a report. The server runs
// it in a worker thread.
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

/** Keyed by the name of the program whose files they read. */
export const CONVERTERS = {
  gatus: convertGatus,
  healthchecks: convertHealthchecks,
  'prometheus-blackbox': convertPrometheusBlackbox,
  'uptime-kuma': convertUptimeKuma,
  uptimerobot: convertUptimeRobot,
} as const satisfies Record<string, Converter>;

export type ForeignProgram = keyof typeof CONVERTERS;
export const FOREIGN_PROGRAMS = Object.keys(CONVERTERS) as ForeignProgram[];
