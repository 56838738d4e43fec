import { isActive } from './monitor/endpoint';
import type { Row } from './file/row';

/** A deeper group is assumed to be in a cycle. */
const MAX_DEPTH = 50;

/** The groups in a file and how they are nested. */
export class Groups {
  private readonly byId: ReadonlyMap<string, Row>;

  constructor(monitors: readonly Row[]) {
    this.byId = new Map(monitors.filter(isGroup).map((group) => [group.id, group]));
  }

  of(monitor: Row): Row | null {
    return this.byId.get(monitor.text('parent')) ?? null;
  }

  /** Returns the enclosing groups and the group itself, outermost first. Stops if there is a cycle. */
  pathOf(group: Row): Row[] {
    const path = [group];
    for (
      let parent = this.of(group);
      parent && !path.includes(parent) && path.length < MAX_DEPTH;
      parent = this.of(parent)
    )
      path.unshift(parent);
    return path;
  }

  /** Returns a name such as `A / B`. */
  nameOf(group: Row): string {
    return this.pathOf(group)
      .map(({ name }) => name)
      .join(' / ');
  }

  /** A group is paused if an enclosing group is paused. */
  isActive(group: Row): boolean {
    return this.pathOf(group).every(isActive);
  }

  /** Returns the IDs of the group and everything nested in it, at any depth. */
  inside(id: string): string[] {
    return [...this.byId.values()]
      .filter((group) => this.pathOf(group).some((one) => one.id === id))
      .map((group) => group.id);
  }
}

export const isGroup = (monitor: Row): boolean => monitor.text('type') === 'group';
