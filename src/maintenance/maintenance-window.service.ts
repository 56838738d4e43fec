import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { recordChange, recordChanges } from '../audit/audit-log';
import { currentAuthor } from '../audit/authorship';
import { refuseUnknown, toScope } from '../endpoint/search/scope';
import type { Caller } from '../platform/access/caller';
import { leastRoleWith, may } from '../platform/access/permissions';
import { Database, type Sql, type Tx } from '../platform/database/database';
import { setOwner } from '../platform/database/set-owner';
import { DatabaseClock } from '../platform/database/database-clock';
import { Cursors } from '../platform/http/cursors';
import type { Page } from '../platform/http/page';
import { requireMatch } from '../platform/http/precondition/precondition';
import { tagged } from '../platform/http/precondition/entity-tags';
import { parseTimestamp } from '../platform/http/validators';
import { newUuid, parseId } from '../platform/ids/id';
import type { Findings } from '../platform/problem/findings';
import { problems } from '../platform/problem/problem';
import { Turns } from '../platform/time/turns';
import {
  type CreateMaintenanceWindowDto,
  type MaintenanceOccurrenceView,
  type MaintenanceWindowQuery,
  type MaintenanceWindowView,
  type OccurrenceQuery,
  settingsOf,
  toMaintenanceWindowView,
  toOccurrenceView,
  type UpdateMaintenanceWindowDto,
} from './maintenance-window.dto';
import { type ChangedWindow, Occurrences } from './occurrences';
import { nextSpans, type Span } from './window-times';
import { problemsOfFields, problemsOfTimes, sameTimes } from './window-rules';
import { listedAt, type WindowRow } from './window-row';
import { scopeIdOf, WindowStore } from './window-store';

/**
 * Selects started occurrences as they were. A change shortens them, but they are kept when the window's times change.
 */
const BEGUN = `
  SELECT starts_at AS "startsAt", ends_at AS "endsAt" FROM maintenance_occurrence
   WHERE window_id = $1 AND ends_at > $2 AND starts_at <= $3 AND ends_at > starts_at ORDER BY starts_at LIMIT $4`;

/**
 * Manages an organization's maintenance windows, using the database's clock. Throws `not_found` for anything that
 * belongs to another organization.
 */
@Injectable()
export class MaintenanceWindowService {
  constructor(
    private readonly database: Database,
    private readonly windows: WindowStore,
    private readonly occurrences: Occurrences,
    private readonly cursors: Cursors,
    private readonly clock: DatabaseClock,
  ) {}

  /** Lists windows, newest start first. The position of a recurring window is its next start. */
  async list(orgId: string, query: MaintenanceWindowQuery): Promise<Page<MaintenanceWindowView>> {
    const now = this.clock.now();
    const [endpointId, websiteId] = [parseId('endpoint', query.endpoint_id), parseId('website', query.website_id)];
    const filter = { status: query.status, endpointId, websiteId };
    const page = await this.cursors.paginate<WindowRow>({
      orgId,
      list: `maintenance-windows ${query.status ?? ''} ${endpointId ?? ''} ${websiteId ?? ''}`,
      cursor: query.cursor,
      limit: query.limit ?? 1,
      rowsAtOnce: 100,
      read: (after, count) => this.windows.page(orgId, now, filter, after, count),
      idOf: ({ listedAt: at, id }) => `${at.getTime()} ${id}`,
      total: () => this.windows.count(orgId, now, filter),
    });
    return page.map((row) => toMaintenanceWindowView(row, now));
  }

  async get(orgId: string, id: string): Promise<MaintenanceWindowView> {
    const now = this.clock.now();
    return shown(await this.windows.read(orgId, id, now), now);
  }

  /** Returns started occurrences as they were, and future ones based on the window's times. */
  async occurrencesOf(
    orgId: string,
    id: string,
    { from, limit }: OccurrenceQuery,
  ): Promise<MaintenanceOccurrenceView[]> {
    const now = this.clock.now();
    const window = await this.windows.read(orgId, id, now);
    const since = from ?? now;
    const begun = await this.database.query<Span>(BEGUN, [id, since, now, limit]);
    const later = new Date(Math.max(now.getTime(), since.getTime()));
    // A current occurrence is among the started ones, unless it was ended.
    const next = nextSpans(window, later, limit + 2).filter(({ startsAt }) => startsAt > now);
    return [...begun, ...next].slice(0, limit).map(toOccurrenceView);
  }

  /** Returns the occurrences that a window with these settings would have. Stores nothing. */
  async preview(
    orgId: string,
    { from, limit }: OccurrenceQuery,
    dto: CreateMaintenanceWindowDto,
  ): Promise<MaintenanceOccurrenceView[]> {
    const now = this.clock.now();
    const rows = await this.judged(this.database, orgId, [{ dto, before: null }], now);
    return rows.flatMap((row) => nextSpans(row, from ?? now, limit)).map(toOccurrenceView);
  }

  /** Recurring windows are configuration, so they need the permission `write`. Throws `insufficient_role`. */
  create(caller: Caller, dto: CreateMaintenanceWindowDto, id: string = newUuid()): Promise<MaintenanceWindowView> {
    const { orgId } = caller;
    if (isRecurring(dto) && !may(caller, 'write')) throw problems.insufficientRole(leastRoleWith('write'));
    return this.database.transaction(async (tx) => {
      const now = this.clock.now();
      await this.createSome(tx, orgId, [{ id, dto }], now);
      return shown(await this.windows.lock(tx, orgId, id, now), now);
    });
  }

  /** Creates several windows. Cost: the same number of statements as for one window. */
  async createSome(
    tx: Tx,
    orgId: string,
    sent: readonly { id: string; dto: CreateMaintenanceWindowDto }[],
    now = this.clock.now(),
  ): Promise<void> {
    if (sent.length === 0) return;
    const asked = sent.map(({ dto }) => ({ dto, before: null }));
    const judged = await this.judged(tx, orgId, asked, now);
    const rows = judged.map((row, at) => ({ ...row, id: sent[at]?.id ?? row.id }));
    await this.windows.claim(tx, orgId, rows.length, now);
    await this.windows.insert(tx, orgId, rows, now);
    await this.occurrences.replace(
      tx,
      rows.map((window) => ({ window, change: 'created' })),
      now,
    );
    await this.windows.claimOccurrences(tx, orgId, now);
    const entries = rows.map((row) => {
      return { ...about(orgId, row.id), action: 'create' as const, after: settingsOf(row) };
    });
    await recordChanges(tx, entries);
  }

  /**
   * Updates the sent fields. The change affects results that are recorded later. An occurrence that was ended stays
   * ended unless the times change.
   */
  update(orgId: string, id: string, dto: UpdateMaintenanceWindowDto): Promise<MaintenanceWindowView> {
    return this.database.transaction(async (tx) => {
      const stored = await this.windows.lock(tx, orgId, id, this.clock.now());
      requireMatch(tagSource(stored));
      const now = this.clock.now();
      await this.change(tx, orgId, [{ before: stored, dto }], now);
      return shown(await this.windows.lock(tx, orgId, id, now), now);
    });
  }

  /** Updates several windows. Cost: the same number of statements as for one window. */
  async updateSome(
    tx: Tx,
    orgId: string,
    sent: readonly { id: string; dto: UpdateMaintenanceWindowDto }[],
  ): Promise<void> {
    if (sent.length === 0) return;
    const now = this.clock.now();
    const ids = sent.map(({ id }) => id);
    const stored = await this.windows.lockSome(tx, orgId, ids, now);
    const changes = sent.map(({ id, dto }) => {
      const before = stored.get(id);
      if (!before) throw problems.notFound();
      return { before, dto };
    });
    await this.change(tx, orgId, changes, now);
  }

  /** Ends the current occurrence. Throws: `conflict` if there is none. */
  end(orgId: string, id: string): Promise<MaintenanceWindowView> {
    return this.database.transaction(async (tx) => {
      const { activeUntil } = await this.windows.lock(tx, orgId, id, this.clock.now());
      const now = this.clock.now();
      if (!(await this.occurrences.end(tx, id, now)))
        throw problems.conflict('The window is not active, so there is no maintenance to end.');
      const sides = { before: { active_until: activeUntil?.toISOString() ?? null }, after: { active_until: null } };
      await recordChange(tx, { ...about(orgId, id), action: 'update', ...sides });
      return shown(await this.windows.lock(tx, orgId, id, now), now);
    });
  }

  /** Deletes a window and ends its current occurrence. Past occurrences still count as planned. */
  async remove(orgId: string, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const stored = await this.windows.lock(tx, orgId, id, this.clock.now());
      requireMatch(tagSource(stored));
      await this.occurrences.stop(tx, id, this.clock.now());
      await this.windows.remove(tx, stored);
      await recordChange(tx, { ...about(orgId, id), action: 'delete', before: settingsOf(stored) });
    });
  }

  /**
   * Returns the result of an `update`, or of a creation if `before` is `null`, without saving it, as the audit log
   * shows both sides. The resources in the scope are not looked up. Throws: `validation_failed` like these methods.
   */
  previewOf(orgId: string, before: WindowRow | null, dto: CreateMaintenanceWindowDto): PreviewedWindow {
    const row = this.checked(orgId, dto, before, this.clock.now());
    return { before: before && settingsOf(before), after: settingsOf(row) };
  }

  /** Sets the owner. Only configuration documents call this. */
  own(tx: Tx, orgId: string, ids: readonly string[], owner: string | null): Promise<void> {
    return setOwner(tx, 'maintenance_window', orgId, ids, owner);
  }

  /** Returns the problems for which `create` and `update` would refuse these fields. */
  findingsIn(fields: UpdateMaintenanceWindowDto): Findings {
    return { invalid: problemsOfFields(fields), forbidden: [] };
  }

  private async change(
    tx: Tx,
    orgId: string,
    sent: readonly { before: WindowRow; dto: UpdateMaintenanceWindowDto }[],
    now: Date,
  ): Promise<void> {
    const rows = await this.judged(tx, orgId, sent, now);
    const changes = sent.flatMap(({ before }, at) => {
      const row = rows[at] ?? before;
      const sides = { before: settingsOf(before), after: settingsOf(row) };
      return isDeepStrictEqual(sides.before, sides.after) ? [] : [{ before, row, sides }];
    });
    if (changes.length === 0) return;
    await this.windows.update(tx, orgId, changes, now);
    const changed = changes.map(({ row, before }): ChangedWindow => {
      return { window: row, change: sameTimes(row, before) ? 'other settings' : 'other times' };
    });
    await this.occurrences.replace(tx, changed, now);
    if (changed.some(({ change }) => change === 'other times')) await this.windows.claimOccurrences(tx, orgId, now);
    const entries = changes.map(({ row, sides }) => {
      return { ...about(orgId, row.id), action: 'update' as const, ...sides };
    });
    await recordChanges(tx, entries);
  }

  /**
   * Returns the windows after the changes. Cost: one to two milliseconds of CPU time for the times of each window.
   * Throws: `validation_failed`, or `not_found` if the scope contains a missing resource.
   */
  private async judged(sql: Sql, orgId: string, sent: readonly SentWindow[], now: Date): Promise<WindowRow[]> {
    const turns = new Turns();
    const rows = await turns.map(sent, ({ dto, before }) => this.checked(orgId, dto, before, now));
    const scopes = sent.flatMap(({ dto: { scope }, before }) => (scope ? [{ sent: scope, known: before }] : []));
    await refuseUnknown(sql, orgId, scopes);
    return turns.map(rows, (row) => ({ ...row, listedAt: listedAt(row, now, row.listedAt) }));
  }

  /** Returns a window after its change, validated as far as possible without the database. */
  private checked(orgId: string, dto: UpdateMaintenanceWindowDto, before: WindowRow | null, now: Date): WindowRow {
    const row = merged(orgId, dto, before, now);
    const wrong = [...problemsOfFields(dto), ...problemsOfTimes(row, now, before)];
    if (wrong.length > 0) throw problems.validationFailed(wrong);
    return row;
  }
}

interface SentWindow {
  dto: UpdateMaintenanceWindowDto;
  /** `null` for a new window. */
  before: WindowRow | null;
}

const isRecurring = ({ cron, timezone, duration }: CreateMaintenanceWindowDto): boolean =>
  (cron ?? timezone ?? duration ?? null) !== null;

/** The result of `MaintenanceWindowService.previewOf`. */
export interface PreviewedWindow {
  before: object | null;
  after: object;
}

const about = (orgId: string, id: string) => ({ orgId, resource: 'maintenance', id }) as const;

const tagSource = (row: WindowRow) => ({ id: row.id, ...settingsOf(row) });

const shown = (row: WindowRow, now: Date): MaintenanceWindowView =>
  tagged(toMaintenanceWindowView(row, now), tagSource(row));

/** Returns the time that was sent, `null` if it is being removed, or the stored time if none was sent. */
const timeOf = (sent: string | null | undefined, stored: Date | null): Date | null =>
  sent === undefined ? stored : sent === null ? null : parseTimestamp(sent);

const given = <T>(sent: T | undefined, stored: T): T => (sent === undefined ? stored : sent);

/** The defaults of a new window. */
const EMPTY: Omit<
  WindowRow,
  'id' | 'orgId' | 'scopeId' | 'createdBy' | 'createdById' | 'createdAt' | 'updatedAt' | 'listedAt'
> = {
  name: '',
  description: '',
  startsAt: null,
  endsAt: null,
  cron: null,
  timezone: null,
  durationSeconds: null,
  mute: true,
  excludeFromUptime: true,
  public: true,
  externalKey: null,
  owner: null,
  coversAll: false,
  websiteIds: [],
  endpointIds: [],
  tags: [],
  activeUntil: null,
};

function merged(orgId: string, dto: UpdateMaintenanceWindowDto, before: WindowRow | null, now: Date): WindowRow {
  const { by, personId } = currentAuthor();
  const start = before ?? { ...EMPTY, id: newUuid(), createdBy: by, createdById: personId, createdAt: now };
  const scope = dto.scope ? toScope(dto.scope) : start;
  const cron = given(dto.cron, start.cron);
  return {
    ...start,
    orgId,
    name: dto.name?.trim() ?? start.name,
    description: dto.description?.trim() ?? start.description,
    coversAll: scope.coversAll,
    websiteIds: scope.websiteIds,
    endpointIds: scope.endpointIds,
    tags: scope.tags,
    scopeId: scopeIdOf(scope, before),
    startsAt: timeOf(dto.starts_at, start.startsAt),
    endsAt: timeOf(dto.ends_at, start.endsAt),
    cron: cron === null ? null : cron.trim().split(/\s+/).join(' '),
    timezone: given(dto.timezone, start.timezone),
    durationSeconds: given(dto.duration, start.durationSeconds),
    mute: given(dto.mute, start.mute),
    excludeFromUptime: given(dto.exclude_from_uptime, start.excludeFromUptime),
    public: given(dto.public, start.public),
    externalKey: given(dto.key, start.externalKey),
    updatedAt: now,
    listedAt: before?.listedAt ?? now,
  };
}
