import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';

/** Accepts only a whole number in the query string. Add `Min` and `Max` for bounds. */
export const QueryInteger = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value,
    ),
    IsInt(),
  );

/** Accepts only `true` or `false` in the query string. */
export const QueryBoolean = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value)),
    IsBoolean(),
  );

/** The query parameters that every list has. Lists with different bounds declare their own `limit`. */
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

/** The default and maximum number of items per page. */
export const MAX_PAGE_SIZE = 1000;

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

/** The default number of items per page if items are large or only the first ones matter most. */
export const SHORT_PAGE_SIZE = 100;

export class ShortPageQuery extends PageQuery {
  @ApiPropertyOptional({ description: LIMIT_DESCRIPTION, minimum: 1, maximum: MAX_PAGE_SIZE, default: SHORT_PAGE_SIZE })
  override limit?: number = SHORT_PAGE_SIZE;
}

/** The maximum size of a page's body in bytes. A single item may be larger. The next page continues after it. */
export const MAX_PAGE_BYTES = 1024 * 1024;

/** One page of a list. The response is a bare array with `Link`, `X-Next-Cursor`, and `X-Total-Count`. */
export class Page<T> {
  constructor(
    readonly items: readonly T[],
    /** Opaque cursor for the next page, or `null` on the last page. */
    readonly nextCursor: string | null,
    /** The total size of the list, for resource lists. */
    readonly total: number | null = null,
    /** Returns the cursor after the item at this index. If unset, the page is never cut. */
    private readonly cursorBehind: ((index: number) => string) | null = null,
  ) {}

  map<U>(change: (item: T) => U): Page<U> {
    return new Page(this.items.map(change), this.nextCursor, this.total, this.cursorBehind);
  }

  /**
   * Returns the items as a JSON array of at most `maxBytes` (or one larger item), and the cursor after the last item.
   * Tries the whole page first, because nearly all pages fit, and serializing each item separately takes a third
   * longer.
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
