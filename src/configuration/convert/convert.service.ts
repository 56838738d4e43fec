import { Injectable } from '@nestjs/common';
import { withText } from '../document/document-text';
import { readAside } from '../document/read-aside';
import type { Conversion } from './conversion';
import { CONVERTERS, type ForeignProgram, PREPARED } from './converters';

/** Makes documents of files of other programs. Stores nothing. */
@Injectable()
export class ConvertService {
  /** Throws `malformed_document` or `validation_failed` when the text is no file of that program. */
  async convert(orgId: string, from: ForeignProgram, text: string): Promise<Conversion> {
    const prepared = PREPARED[from]?.(text) ?? text;
    const result = await readAside(prepared, orgId);
    return withText(prepared, result, () => CONVERTERS[from](text));
  }
}
