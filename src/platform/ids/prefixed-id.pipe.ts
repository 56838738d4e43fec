import { Injectable, type PipeTransform } from '@nestjs/common';
import { problems } from '../problem/problem';
import { type IdKind, parseId } from './id';

/** Turns the id in a path into its uuid. A malformed one is the same 404 as an unknown one. */
@Injectable()
export class PrefixedIdPipe implements PipeTransform<unknown, string> {
  constructor(private readonly kind: IdKind) {}

  transform(value: unknown): string {
    const uuid = parseId(this.kind, value);
    if (uuid === null) throw problems.notFound();
    return uuid;
  }
}
