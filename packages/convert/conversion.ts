import type { ConfigurationDocument } from '../../src/configuration/document/document';

/** What became of one thing of a foreign file. */
export const CONVERSION_RESULTS = ['mapped', 'approximated', 'skipped'] as const;
export type ConversionResult = (typeof CONVERSION_RESULTS)[number];

export interface ReportEntry {
  /** Where it stands in the foreign file: a JSON pointer, or `line 12`. */
  at: string;
  /** What the foreign program calls it. */
  name: string;
  result: ConversionResult;
  /** `approximated`: the difference. `skipped`: the reason. `null` when nothing is lost. */
  why: string | null;
}

/** A foreign file as a document. Each of its monitors is in the document or skipped in the report, never in neither. */
export interface Conversion {
  document: ConfigurationDocument;
  report: ReportEntry[];
}

/** What the server knows of the configs of its channels, by the type of the channel. */
export interface ChannelRules {
  /** Why it would refuse a config; pointers are relative to it. */
  problems(type: string, config: unknown): readonly { pointer: string; message: string }[];
  /** Whether it never shows the value at the path. */
  isHidden(type: string, path: readonly string[]): boolean;
}

/** Reads the text of a foreign file, or of several behind each other. Throws `validation_failed` when it is none. */
export type Converter = (text: string, channels: ChannelRules) => Conversion;
