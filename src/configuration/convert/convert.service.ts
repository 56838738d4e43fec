import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { ForeignProgram } from '../../../packages/convert/index';
import { Problem } from '../../platform/problem/problem';
import { aside } from '../document/aside';
import { type ConvertedText, tooCostly } from './convert-text';

/** Converts files from other programs to documents. Stores nothing. */
@Injectable()
export class ConvertService {
  /**
   * Returns the JSON of a `Conversion`, which runs in a separate thread. Throws `malformed_document` or
   * `validation_failed` if the text isn't a file from that program.
   */
  async convert(orgId: string, from: ForeignProgram, text: string): Promise<string> {
    const converted = await aside<ConvertedText, ConvertedText>(orgId, {
      file: join(__dirname, 'convert-thread.cjs'),
      loadsSources: true,
      data: { from, text },
      take: (message) => message,
    });
    if (converted === null) throw tooCostly();
    if ('json' in converted) return converted.json;
    const { code, detail, errors } = converted.problem;
    throw new Problem(code, detail, errors);
  }
}
