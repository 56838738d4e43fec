import { CONVERTERS, type ForeignProgram } from '../../../packages/convert/index';
import { Problem } from '../../platform/problem/problem';
import { COSTLY } from '../document/read-in-worker';
import { CHANNEL_RULES } from './channel-rules';

/** The maximum size of a response in bytes, which is twice the size of the longest file. */
const MAX_BYTES = 16 * 1024 * 1024;

/** A conversion as the response's JSON, or the parts of its `Problem`. */
export type ConvertedText = { json: string } | { problem: Pick<Problem, 'code' | 'detail' | 'errors'> };

/** Converts the text of a file from another program. The time and memory needed depend on the file. */
export function convertText(from: ForeignProgram, text: string): ConvertedText {
  try {
    const json = JSON.stringify(CONVERTERS[from](text, CHANNEL_RULES));
    if (Buffer.byteLength(json) > MAX_BYTES) throw tooCostly();
    return { json };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { code, detail, errors } = error;
    return { problem: { code, detail, errors } };
  }
}

/** Returns the error for a file that can't be converted within a thread's time and memory limits. */
export const tooCostly = (): Problem => new Problem('malformed_document', 'Send a smaller part of the file.', [COSTLY]);
