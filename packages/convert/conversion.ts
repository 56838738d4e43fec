import type { ConfigurationDocument } from '../../src/configuration/document/document';

/** The possible outcomes for a resource in a file from another program. */
export const CONVERSION_RESULTS = ['mapped', 'approximated', 'skipped'] as const;
export type ConversionResult = (typeof CONVERSION_RESULTS)[number];

export interface ReportEntry {
  /** The location in the source file: a JSON pointer, or `line 12`. */
  at: string;
  /** The resource's name in the other program. */
  name: string;
  result: ConversionResult;
  /** The difference if `approximated`, the reason if `skipped`, or `null` if nothing is lost. */
  why: string | null;
}

/** A source file converted to a document. Each monitor is either in the document or reported as skipped. */
export interface Conversion {
  document: ConfigurationDocument;
  report: ReportEntry[];
}

/** The server's rules for channel configs, by channel type. */
export interface ChannelRules {
  /** Returns why the server would refuse a config. JSON pointers are relative to the config. */
  problems(type: string, config: unknown): readonly { pointer: string; message: string }[];
  /** Whether the server always masks the value at this path. */
  isHidden(type: string, path: readonly string[]): boolean;
}

/**
 * Reads the text of one source file, or of several concatenated files. Throws: `validation_failed` if the text isn't in
 * the expected format.
 */
export type Converter = (text: string, channels: ChannelRules) => Conversion;
