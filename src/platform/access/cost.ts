import { SetMetadata } from '@nestjs/common';
import type { Request } from 'express';

/** A request as far as its cost depends on it: the query is not validated yet. */
export type CostedRequest = Pick<Request, 'query'>;

/** Tokens of the rate limit that a request takes: 1 for about a millisecond of work, never less than 1. */
export type CostOf = (request: CostedRequest) => number;
export const COST = Symbol('access:cost');

/** What a route costs in the rate limit; without it 1. */
export const Cost = (cost: CostOf) => SetMetadata(COST, cost);

/** Lists cost a token for each 200 items that may be on the page. */
const ITEMS_PER_TOKEN = 200;
export const costOfList =
  (defaultLimit: number): CostOf =>
  ({ query }) =>
    Math.ceil(numberOf(query['limit'], defaultLimit) / ITEMS_PER_TOKEN);

const DAY_MS = 86_400_000;
/** A day of an endpoint that is checked every second is 86,400 rows. */
const TOKENS_PER_DAY_OF_CHECKS = 14;
const TOKENS_PER_HOUR_RANGE = 2;
const HOUR_SECONDS = 3600;

/** Steps below an hour are read from single checks, longer ones from hourly statistics. */
export const costOfLatency: CostOf = ({ query }) => {
  const days = Math.ceil(rangeOf(query) / DAY_MS);
  const isFine = numberOf(query['step'], days > 2 ? HOUR_SECONDS : 1) < HOUR_SECONDS;
  return isFine ? 1 + TOKENS_PER_DAY_OF_CHECKS * Math.min(days, 7) : TOKENS_PER_HOUR_RANGE + Math.ceil(days / 30);
};

/** Filters of the audit log walk over what they leave out. */
const TOKENS_OF_FILTER = 10;
export const costOfAuditLog: CostOf = (request) => {
  const isFiltered = ['resource', 'resource_id', 'since', 'until'].some((name) => request.query[name] !== undefined);
  return costOfList(50)(request) + (isFiltered ? TOKENS_OF_FILTER : 0);
};

/** Single checks with an outcome are found by walking over the others. */
const TOKENS_OF_OUTCOME = 10;
export const costOfChecks: CostOf = (request) =>
  costOfList(100)(request) + (request.query['outcome'] === undefined ? 0 : TOKENS_OF_OUTCOME);

/** Milliseconds between `from` and `to`; a day without them, as much as there is when they cannot be read. */
function rangeOf(query: CostedRequest['query']): number {
  const to = timeOf(query['to'], Date.now());
  return Math.max(0, to - timeOf(query['from'], to - DAY_MS));
}

function timeOf(value: unknown, otherwise: number): number {
  const time = typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? otherwise : time;
}

const numberOf = (value: unknown, otherwise: number): number =>
  typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value) ? Number(value) : otherwise;
