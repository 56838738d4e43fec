import { Readable } from 'node:stream';
import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  StreamableFile,
  UseInterceptors,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtension } from '@nestjs/swagger';
import type { Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import type { AuthenticatedRequest } from '../../access/caller';
import { ByOwner } from '../../capacity/by-owner';
import { Problem } from '../../problem/problem';
import { MINUTE_MS } from '../../time/time-units';
import { Page } from '../page';
import { columnName, csvRow, valueAt } from './csv-text';

const CSV = Symbol('http:csv');

/** The number of items that an export reads at once, unless the client sets `limit`. */
const PAGE_SIZE = '1000';
/** How long an export may take. After that the connection is closed, so that no part looks like the whole. */
const MOST_MS = 5 * MINUTE_MS;
/** How many exports run at once, in all and for each organization. */
const MOST_AT_ONCE = 8;
const MOST_OF_ORGANIZATION = 2;
const RETRY_AFTER_SECONDS = 5;

/** The name of a value in an item, or its path if the value is an object: `error.code`. */
type ColumnOf<Item> = {
  [Name in keyof Item & string]: NonNullable<Item[Name]> extends readonly unknown[]
    ? Name
    : NonNullable<Item[Name]> extends object
      ? Name | `${Name}.${keyof NonNullable<Item[Name]> & string}`
      : Name;
}[keyof Item & string];

interface CsvShape<Column extends string, Body> {
  /** The file's name without its extension. */
  file: string;
  columns: readonly Column[];
  /** Returns the items of a response that isn't a list. */
  items?: (body: Body) => readonly unknown[];
  /** Returns values that are the same in all rows, by their column names. They come first. */
  constants?: (body: Body) => Readonly<Record<string, unknown>>;
}

const running = new ByOwner(MOST_AT_ONCE, MOST_OF_ORGANIZATION);

@Injectable()
class CsvInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const response = context.switchToHttp().getResponse<Response>();
    response.vary('Accept');
    if (request.accepts(['application/json', 'text/csv']) !== 'text/csv') return next.handle();
    const shape = this.reflector.get<CsvShape<string, unknown>>(CSV, context.getHandler());
    return from(exported(request, response, shape, () => lastValueFrom(next.handle())));
  }
}

/**
 * Also responds with CSV, if the client prefers `text/csv` to JSON. A list without `limit` is sent as a whole. Its pages
 * are read one after another, each when the client has received the previous one. Put this below `@Route`.
 */
export const AlsoCsv = <Item, Body = unknown>(shape: CsvShape<ColumnOf<Item>, Body>) =>
  applyDecorators(SetMetadata(CSV, shape), ApiExtension('x-csv', true), UseInterceptors(CsvInterceptor));

/** Reads the first page before anything is sent, so that a problem is still a problem. */
async function exported(
  request: AuthenticatedRequest,
  response: Response,
  shape: CsvShape<string, unknown>,
  read: () => Promise<unknown>,
): Promise<StreamableFile> {
  const owner = request.caller?.orgId ?? '';
  if (!running.tryTake(owner)) throw tooMany();
  response.once('close', () => running.release(owner));
  const query = { ...request.query };
  const isWhole = shape.items === undefined && query['limit'] === undefined;
  // The handler's query is read anew for each page. Express computes it from the URL otherwise.
  const ask = (changes: Record<string, string>): Promise<unknown> => {
    Object.defineProperty(request, 'query', { value: { ...query, ...changes }, configurable: true });
    return read();
  };
  const first = await ask(isWhole ? { limit: PAGE_SIZE } : {});
  if (!isWhole && first instanceof Page && first.nextCursor !== null)
    response.setHeader('X-Next-Cursor', first.nextCursor);
  const deadline = setTimeout(() => response.destroy(), MOST_MS).unref();
  response.once('close', () => clearTimeout(deadline));
  const more = (cursor: string) => (isWhole ? ask({ limit: PAGE_SIZE, cursor }) : Promise.resolve(null));
  const file = new StreamableFile(Readable.from(rows(first, shape, more)), {
    type: 'text/csv; charset=utf-8',
    disposition: `attachment; filename="${shape.file}.csv"`,
  });
  // A part must not look like the whole.
  return file.setErrorHandler(() => response.destroy());
}

async function* rows(
  first: unknown,
  { columns, items, constants }: CsvShape<string, unknown>,
  more: (cursor: string) => Promise<unknown>,
): AsyncGenerator<string> {
  const shared = constants?.(first) ?? {};
  const same = Object.values(shared);
  yield csvRow([...Object.keys(shared), ...columns.map(columnName)]);
  for (let body: unknown = first; body !== null;) {
    const listed = body instanceof Page ? body.items : (items?.(body) ?? []);
    yield listed.map((item) => csvRow([...same, ...columns.map((path) => valueAt(item, path))])).join('');
    body = body instanceof Page && body.nextCursor !== null ? await more(body.nextCursor) : null;
  }
}

const tooMany = (): Problem =>
  new Problem(
    'rate_limited',
    `${MOST_OF_ORGANIZATION} exports of your organization are still running. Wait until one of them has ended.`,
    [],
    { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  );
