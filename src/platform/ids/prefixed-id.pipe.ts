import { Injectable, type PipeTransform } from '@nestjs/common';
import { problems } from '../problem/problem';
import { type IdKind, parseId } from './id';

/** Turns a path id into its uuid. Anything malformed answers the same 404 as an unknown id. */
@Injectable()
export class PrefixedIdPipe implements PipeTransform<unknown, string> {
  constructor(private readonly kind: IdKind) {}

  transform(value: unknown): string {
    const uuid = parseId(this.kind, value);
    if (uuid === null) throw problems.notFound();
    return uuid;
  }
}
