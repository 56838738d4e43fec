import type { ConfigurationDocument } from '../../src/configuration/document/document';

/** The outcome for one resource in a foreign file. */
export const CONVERSION_RESULTS = ['mapped', 'approximated', 'skipped'] as const;
export type ConversionResult = (typeof CONVERSION_RESULTS)[number];

export interface ReportEntry {
  /** The place in the foreign file: a JSON pointer, or `line 12`. */
  at: string;
  /** The name in the foreign program. */
  name: string;
  result: ConversionResult;
  /** The difference if `approximated`, the reason if `skipped`, `null` if nothing is lost. */
  why: string | null;
}

/** A foreign file as a document. Each of its monitors is either in the document or skipped in the report. */
export interface Conversion {
  document: ConfigurationDocument;
  report: ReportEntry[];
}

/** The server's rules for the config of its channels, by channel type. */
export interface ChannelRules {
  /** Returns why the server would refuse a config. Pointers are relative to the config. */
  problems(type: string, config: unknown): readonly { pointer: string; message: string }[];
  /** Whether the server never shows the value at the path. */
  isHidden(type: string, path: readonly string[]): boolean;
}

/**
 * Reads the text of one foreign file, or of several concatenated files. Throws: `validation_failed` if the text has
 * another form.
 */
export type Converter = (text: string, channels: ChannelRules) => Conversion;
