import { SetMetadata } from '@nestjs/common';
import type { Request } from 'express';

/** The part of a request that determines its cost. The query isn't validated yet. */
export type CostedRequest = Pick<Request, 'query'>;

/**
 * Returns how many rate limit tokens a request takes at the time `now` (in milliseconds). One token is roughly the cost
 * of reading one resource.
 */
export type CostOf = (request: CostedRequest, now: number) => number;
export const COST = Symbol('access:cost');

/** Sets the rate limit cost of a route. Without this decorator, the cost is 1. */
export const Cost = (cost: CostOf) => SetMetadata(COST, cost);

/**
 * The number of list items per token. The cost is based on the maximum number of items, because the actual number isn't
 * known in advance.
 */
const ITEMS_PER_TOKEN = 250;
export const costOfList =
  (defaultLimit: number): CostOf =>
  ({ query }) =>
    Math.ceil(numberOf(query['limit'], defaultLimit) / ITEMS_PER_TOKEN);

/**
 * Covers up to 90 days of hourly and daily statistics, plus the latest checks. For a single location, all statistics
 * are hourly.
 */
export const costOfUptime: CostOf = (request) => 4 + ofLocation(request);

/** Covers a year of daily statistics for up to 161 endpoints. */
export const costOfWebsiteHistory: CostOf = () => FILTER;

const DAY_MS = 86_400_000;
/** An endpoint that is checked every second has 86,400 rows per day. Users look at the first day most often. */
const [FIRST_DAY, FURTHER_DAY] = [10, 28];
const MAX_DAYS = 7;
const HOUR_SECONDS = 3600;
/** The number of days from which the default step is an hour or more. */
const COARSE_DAYS = 3;

/** Steps shorter than an hour are read from individual checks. Longer steps are read from hourly statistics. */
export const costOfLatency: CostOf = ({ query }, now) => {
  const days = Math.max(1, Math.ceil(rangeOf(query, now) / DAY_MS));
  const step = numberOf(query['step'], days > COARSE_DAYS ? HOUR_SECONDS : 1);
  return step < HOUR_SECONDS ? FIRST_DAY + FURTHER_DAY * (Math.min(days, MAX_DAYS) - 1) : 4 + ofLocation({ query });
};

/** Covers a month of hourly statistics for up to 200 endpoints. */
export const costOfReport: CostOf = () => 2 * FILTER;

/** The cost of a filter, which also scans the rows that it excludes. */
const FILTER = 10;
const ofLocation = ({ query }: CostedRequest): number => (query['location'] === undefined ? 0 : FILTER);
export const costOfSearch: CostOf = ({ query }) =>
  query['q'] === undefined && query['tag'] === undefined ? 1 : FILTER;

/** Operations on many endpoints scan all of the organization's endpoints. */
export const costOfScope: CostOf = () => FILTER;

/**
 * The cost of reading all of an organization's endpoints, however many there are. Equals the cost of a list with 10,000
 * items.
 */
export const costOfScrape: CostOf = () => 10_000 / ITEMS_PER_TOKEN;

/** Returns the cost of a list that can be filtered by these parameters. */
export const costOfFilteredList =
  (defaultLimit: number, filters: readonly string[]): CostOf =>
  (request, now) =>
    costOfList(defaultLimit)(request, now) + (filters.some((name) => request.query[name] !== undefined) ? FILTER : 0);

/** Returns the cost of a list that can be filtered by tag. */
export const costOfTaggedList = (defaultLimit: number): CostOf => costOfFilteredList(defaultLimit, ['tag']);

const AUDIT_FILTERS = ['resource', 'resource_id', 'since', 'until'];
export const costOfAuditLog: CostOf = ({ query }) =>
  Math.ceil(numberOf(query['limit'], 50) / 100) +
  (AUDIT_FILTERS.some((name) => query[name] !== undefined) ? FILTER : 0);

export const costOfChecks: CostOf = ({ query }) =>
  1 +
  Math.ceil(numberOf(query['limit'], 100) / 100) +
  (query['outcome'] === undefined ? ofLocation({ query }) : FILTER);

/**
 * Returns the number of milliseconds between `from` and `to`, one day by default. If the parameters can't be parsed,
 * returns the length of the longest possible range.
 */
function rangeOf(query: CostedRequest['query'], now: number): number {
  const to = timeOf(query['to'], now);
  return Math.max(0, to - timeOf(query['from'], to - DAY_MS));
}

function timeOf(value: unknown, otherwise: number): number {
  const time = typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? otherwise : time;
}

const numberOf = (value: unknown, otherwise: number): number =>
  typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value) ? Number(value) : otherwise;

export const SERVED_BEYOND_QUOTA = Symbol('access:served-beyond-quota');

/**
 * Keeps a route that makes changes available after the daily change quota is used up. For routes that are needed in an
 * emergency or store nothing.
 */
export const ServedBeyondQuota = () => SetMetadata(SERVED_BEYOND_QUOTA, true);
