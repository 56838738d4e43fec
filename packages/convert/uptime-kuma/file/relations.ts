import type { Backup } from './backup';
import { Row } from './row';

/** How rows are related. Version 1 stores this in the monitors, and version 2 in separate tables. */
export class Relations {
  static readonly TABLES: ReadonlySet<string> = new Set([
    'monitor_notification',
    'monitor_tag',
    'monitor_maintenance',
    'maintenance_status_page',
    'monitor_group',
  ]);

  private readonly tags: ReadonlyMap<string, Row>;
  private readonly pairs = new Map<string, ReadonlyMap<string, readonly Row[]>>();

  constructor(private readonly backup: Backup) {
    this.tags = new Map((backup.tables.get('tag') ?? []).map((tag) => [tag.id, tag]));
  }

  /** Returns the IDs in file order. */
  notificationsOf(monitor: Row): string[] {
    const own = Object.entries(monitor.mapping('notificationIDList') ?? {}).filter(([, isOn]) => Boolean(isOn));
    const list = (monitor.list('notificationIDList') ?? []).map(String);
    const linked = this.linked('monitor_notification', 'monitor_id', monitor.id).map((row) =>
      row.text('notification_id'),
    );
    return [...new Set([...own.map(([id]) => id), ...list, ...linked])];
  }

  /** Returns name-value pairs. */
  tagsOf(monitor: Row): Row[] {
    const own = (monitor.list('tags') ?? []).map((tag) =>
      typeof tag === 'object' && tag !== null ? new Row(monitor.at, { ...tag }) : new Row(monitor.at, { name: tag }),
    );
    const linked = this.linked('monitor_tag', 'monitor_id', monitor.id).map(
      (link) => new Row(link.at, { name: this.tags.get(link.text('tag_id'))?.text('name'), value: link.text('value') }),
    );
    return [...own, ...linked].filter((tag) => tag.text('name') !== '');
  }

  monitorsOfMaintenance(maintenance: Row): string[] {
    const own = (maintenance.list('monitorList') ?? []).map((one) =>
      typeof one === 'object' && one !== null ? new Row('', { ...one }).id : String(one),
    );
    const linked = this.linked('monitor_maintenance', 'maintenance_id', maintenance.id);
    return [...new Set([...own, ...linked.map((row) => row.text('monitor_id'))])];
  }

  /** Returns the monitor IDs in a status page group, in order. */
  monitorsOfPageGroup(group: Row): string[] {
    const links = this.linked('monitor_group', 'group_id', group.id);
    return links
      .toSorted((one, other) => (one.number('weight') ?? 0) - (other.number('weight') ?? 0))
      .map((row) => row.text('monitor_id'));
  }

  private linked(table: string, field: string, id: string): readonly Row[] {
    const known = this.pairs.get(`${table} ${field}`) ?? this.index(table, field);
    return known.get(id) ?? [];
  }

  private index(table: string, field: string): ReadonlyMap<string, readonly Row[]> {
    const index = new Map<string, Row[]>();
    for (const row of this.backup.tables.get(table) ?? []) {
      const here = index.get(row.text(field));
      if (here) here.push(row);
      else index.set(row.text(field), [row]);
    }
    this.pairs.set(`${table} ${field}`, index);
    return index;
  }
}
