import { Injectable, type PipeTransform } from '@nestjs/common';
import { problems } from '../problem/problem';
import { type IdKind, parseId } from './id';

/** Converts the ID in a path to its UUID. A malformed ID gets the same 404 as an unknown one. */
@Injectable()
export class PrefixedIdPipe implements PipeTransform<unknown, string> {
  constructor(private readonly kind: IdKind) {}

  transform(value: unknown): string {
    const uuid = parseId(this.kind, value);
    if (uuid === null) throw problems.notFound();
    return uuid;
  }
}
