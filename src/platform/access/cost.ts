import { SetMetadata } from '@nestjs/common';
import type { Request } from 'express';

/** A request as far as its cost depends on it: the query is not validated yet. */
export type CostedRequest = Pick<Request, 'query'>;

/** Tokens of the rate limit that a request takes at the time `now` (milliseconds): 1 is about what reading one thing costs. */
export type CostOf = (request: CostedRequest, now: number) => number;
export const COST = Symbol('access:cost');

/** What a route costs in the rate limit; without it 1. */
export const Cost = (cost: CostOf) => SetMetadata(COST, cost);

/** Items of a list that cost a token; it is their number at most, because nobody knows it before. */
const ITEMS_PER_TOKEN = 250;
export const costOfList =
  (defaultLimit: number): CostOf =>
  ({ query }) =>
    Math.ceil(numberOf(query['limit'], defaultLimit) / ITEMS_PER_TOKEN);

/** Up to 90 days of hourly and daily statistics, and the newest checks; of a location of hourly ones. */
export const costOfUptime: CostOf = (request) => 4 + ofLocation(request);

/** A year of daily statistics of up to 161 endpoints. */
export const costOfWebsiteHistory: CostOf = () => FILTER;

const DAY_MS = 86_400_000;
/** A day of an endpoint that is checked every second is 86,400 rows. The first one is what everybody looks at. */
const [FIRST_DAY, FURTHER_DAY] = [10, 28];
const MAX_DAYS = 7;
const HOUR_SECONDS = 3600;
/** From here on the step is an hour or more when none is asked for. */
const COARSE_DAYS = 3;

/** Steps below an hour are read from single checks, longer ones from hourly statistics. */
export const costOfLatency: CostOf = ({ query }, now) => {
  const days = Math.max(1, Math.ceil(rangeOf(query, now) / DAY_MS));
  const step = numberOf(query['step'], days > COARSE_DAYS ? HOUR_SECONDS : 1);
  return step < HOUR_SECONDS ? FIRST_DAY + FURTHER_DAY * (Math.min(days, MAX_DAYS) - 1) : 4 + ofLocation({ query });
};

/** Filters walk over what they leave out. */
const FILTER = 10;
const ofLocation = ({ query }: CostedRequest): number => (query['location'] === undefined ? 0 : FILTER);
export const costOfSearch: CostOf = ({ query }) =>
  query['q'] === undefined && query['tag'] === undefined ? 1 : FILTER;

/** What is made for each of many endpoints walks over all of them. */
export const costOfScope: CostOf = () => FILTER;

/** All endpoints of an organization at once, however many: as a list of 10,000. */
export const costOfScrape: CostOf = () => 10_000 / ITEMS_PER_TOKEN;

/** A list that may be filtered by these parameters. */
export const costOfFilteredList =
  (defaultLimit: number, filters: readonly string[]): CostOf =>
  (request, now) =>
    costOfList(defaultLimit)(request, now) + (filters.some((name) => request.query[name] !== undefined) ? FILTER : 0);

/** A list that may be filtered by tag. */
export const costOfTaggedList = (defaultLimit: number): CostOf => costOfFilteredList(defaultLimit, ['tag']);

const AUDIT_FILTERS = ['resource', 'resource_id', 'since', 'until'];
export const costOfAuditLog: CostOf = ({ query }) =>
  Math.ceil(numberOf(query['limit'], 50) / 100) +
  (AUDIT_FILTERS.some((name) => query[name] !== undefined) ? FILTER : 0);

export const costOfChecks: CostOf = ({ query }) =>
  1 +
  Math.ceil(numberOf(query['limit'], 100) / 100) +
  (query['outcome'] === undefined ? ofLocation({ query }) : FILTER);

/** Milliseconds between `from` and `to`; a day without them, as much as there is when they cannot be read. */
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

/** For changing routes that are needed in an emergency or store nothing: served whatever an organization has changed today. */
export const ServedBeyondQuota = () => SetMetadata(SERVED_BEYOND_QUOTA, true);
