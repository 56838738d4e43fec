import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';

/** A whole number in the query string. Anything else is refused. Add `Min` and `Max` for the bounds. */
export const QueryInteger = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value,
    ),
    IsInt(),
  );

/** `true` or `false` in the query string. Anything else is refused. */
export const QueryBoolean = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value)),
    IsBoolean(),
  );

/** `limit` and `cursor`, which every list takes. Lists with other bounds declare their own `limit`. */
export class CursorQuery {
  @ApiPropertyOptional({
    description:
      'The opaque position from the previous page: the `X-Next-Cursor` header or the URL in the `Link` header.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(500)
  cursor?: string;
}

/** Items of a page when the client does not say how many; also the most it may ask for. */
export const MAX_PAGE_SIZE = 1000;

/** Of every `limit`. */
export const LIMIT_DESCRIPTION =
  'The maximum number of items per page. A page ends early if its body would exceed 1 MiB. `X-Next-Cursor` is present if there are more items.';

export class PageQuery extends CursorQuery {
  @ApiPropertyOptional({ description: LIMIT_DESCRIPTION, minimum: 1, maximum: MAX_PAGE_SIZE, default: MAX_PAGE_SIZE })
  @IsOptional()
  @QueryInteger()
  @Min(1)
  @Max(MAX_PAGE_SIZE)
  limit?: number;
}

/** Items of a page of a list whose items are large, or of which the first are asked for, when the client does not say how many. */
export const SHORT_PAGE_SIZE = 100;

export class ShortPageQuery extends PageQuery {
  @ApiPropertyOptional({ description: LIMIT_DESCRIPTION, minimum: 1, maximum: MAX_PAGE_SIZE, default: SHORT_PAGE_SIZE })
  override limit?: number = SHORT_PAGE_SIZE;
}

/** A page's body has at most this many bytes, or one item that is larger; the next page goes on behind it. */
export const MAX_PAGE_BYTES = 1024 * 1024;

/** One page of a list. The response is a bare array with `Link`, `X-Next-Cursor` and `X-Total-Count`. */
export class Page<T> {
  constructor(
    readonly items: readonly T[],
    /** Opaque cursor of the next page, `null` on the last one. */
    readonly nextCursor: string | null,
    /** Count of the whole list, for resource lists. */
    readonly total: number | null = null,
    /** The cursor behind the item at this index; without it the page is never cut. */
    private readonly cursorBehind: ((index: number) => string) | null = null,
  ) {}

  map<U>(change: (item: T) => U): Page<U> {
    return new Page(this.items.map(change), this.nextCursor, this.total, this.cursorBehind);
  }

  /**
   * The items as a JSON array of at most `maxBytes` (or of one item that is larger), and the cursor behind the last one that
   * is in it. Nearly all pages fit, so that is tried first: item by item costs a third more.
   */
  toJson(maxBytes = MAX_PAGE_BYTES): { json: string; nextCursor: string | null } {
    const whole = JSON.stringify(this.items);
    if (this.cursorBehind === null || Buffer.byteLength(whole) <= maxBytes) {
      return { json: whole, nextCursor: this.nextCursor };
    }
    const texts: string[] = [];
    let bytes = 1;
    for (const item of this.items) {
      const text = JSON.stringify(item);
      bytes += Buffer.byteLength(text) + 1;
      if (bytes > maxBytes && texts.length > 0) break;
      texts.push(text);
    }
    const isCut = texts.length < this.items.length;
    return {
      json: `[${texts.join(',')}]`,
      nextCursor: isCut ? this.cursorBehind(texts.length - 1) : this.nextCursor,
    };
  }
}
