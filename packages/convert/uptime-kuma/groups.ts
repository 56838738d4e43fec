import { isActive } from './monitor/endpoint';
import type { Row } from './file/row';

/** Deeper groups have been taken for a circle. */
const MAX_DEPTH = 50;

/** The groups of a file: which are in which. */
export class Groups {
  private readonly byId: ReadonlyMap<string, Row>;

  constructor(monitors: readonly Row[]) {
    this.byId = new Map(monitors.filter(isGroup).map((group) => [group.id, group]));
  }

  /** The group that a monitor is in, when the file has it. */
  of(monitor: Row): Row | null {
    return this.byId.get(monitor.text('parent')) ?? null;
  }

  /** The groups around one and itself, the outermost first. A circle ends where it began. */
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

  /** `A / B`. */
  nameOf(group: Row): string {
    return this.pathOf(group)
      .map(({ name }) => name)
      .join(' / ');
  }

  /** A group rests when one around it does. */
  isActive(group: Row): boolean {
    return this.pathOf(group).every(isActive);
  }

  /** Itself and all that is in it, at any depth. */
  inside(id: string): string[] {
    return [...this.byId.values()]
      .filter((group) => this.pathOf(group).some((one) => one.id === id))
      .map((group) => group.id);
  }
}

export const isGroup = (monitor: Row): boolean => monitor.text('type') === 'group';
