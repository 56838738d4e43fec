import { type DiskOperation, PowerCut, randomNumbers, SimulatedDisk } from './simulated-disk';

const LOST = new PowerCut(() => 0);
const bytes = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value);

/** Returns a disk after these operations. */
function played(...operations: readonly (DiskOperation | [DiskOperation, Uint8Array])[]): SimulatedDisk {
  const disk = new SimulatedDisk();
  for (const each of operations)
    if (Array.isArray(each)) disk.play(...each);
    else disk.play(each, new Uint8Array(0));
  return disk;
}

const create = (fd: number, path: string): DiskOperation => ({ op: 'open', fd, path, created: true, truncated: false });
const open = (fd: number, path: string): DiskOperation => ({ op: 'open', fd, path, created: false, truncated: false });
const write = (fd: number, at: number, data: Uint8Array): [DiskOperation, Uint8Array] => [
  { op: 'write', fd, at },
  data,
];
const sync = (fd: number): DiskOperation[] => [
  { op: 'sync', fd, id: `of ${fd}` },
  { op: 'synced', id: `of ${fd}` },
];
/** The operations that store the names in a directory. */
const syncTop = (): DiskOperation[] => [open(99, ''), ...sync(99), { op: 'close', fd: 99 }];

const filesAfter = (disk: SimulatedDisk, cut: PowerCut): Record<string, number[] | null> =>
  Object.fromEntries(
    [...disk.after(cut)].filter(([path]) => path !== '').map(([path, data]) => [path, data && [...data]]),
  );

describe('a simulated disk after a power cut', () => {
  it('has all synchronized data, and nothing else if the cut leaves nothing else', () => {
    const disk = played(create(1, 'log'), write(1, 0, bytes(2, 7)), ...sync(1), write(1, 2, bytes(2, 8)), ...syncTop());
    expect(filesAfter(disk, LOST)).toEqual({ log: [7, 7] });
    expect([...(disk.whole().get('log') ?? [])]).toEqual([7, 7, 8, 8]);
  });

  it('can lose the name of a new file whose content was synchronized', () => {
    const disk = played(create(1, 'log'), write(1, 0, bytes(1, 7)), ...sync(1));
    expect(filesAfter(disk, LOST)).toEqual({});
  });

  it('can undo a rename that was not followed by a synchronization of the directory', () => {
    const before = [
      create(1, 'draft'),
      ...sync(1),
      ...syncTop(),
      { op: 'rename', from: 'draft', to: 'final' } as const,
    ];
    expect(filesAfter(played(...before), LOST)).toEqual({ draft: [] });
    expect(filesAfter(played(...before, ...syncTop()), LOST)).toEqual({ final: [] });
  });

  it('can bring back a file that was removed', () => {
    const before = [create(1, 'log'), ...syncTop(), { op: 'unlink', path: 'log' } as const];
    expect(filesAfter(played(...before), LOST)).toEqual({ log: [] });
    expect(filesAfter(played(...before, ...syncTop()), LOST)).toEqual({});
  });

  it('can lose a write during the synchronization', () => {
    const disk = played(create(1, 'log'), ...syncTop(), { op: 'sync', fd: 1, id: 'slow' }, write(1, 0, bytes(1, 7)), {
      op: 'synced',
      id: 'slow',
    });
    expect(filesAfter(disk, LOST)).toEqual({ log: [] });
  });

  it('can have some sectors of a write and not the others', () => {
    const random = randomNumbers(1);
    const seen = new Set<string>();
    for (let time = 0; time < 300; time++) {
      const disk = played(
        create(1, 'page'),
        write(1, 0, bytes(1024, 1)),
        ...sync(1),
        ...syncTop(),
        write(1, 0, bytes(1024, 2)),
      );
      const page = disk.after(new PowerCut(random)).get('page') ?? new Uint8Array(0);
      seen.add([page[0], page[511], page[512], page[1023]].join(' '));
    }
    expect([...seen].sort()).toEqual(['1 1 1 1', '1 1 2 2', '2 2 1 1', '2 2 2 2']);
  });

  it('keeps a file that was truncated at its old size until that is synchronized', () => {
    const before = [
      create(1, 'log'),
      write(1, 0, bytes(3, 7)),
      ...sync(1),
      ...syncTop(),
      { op: 'ftruncate', fd: 1, size: 1 } as const,
    ];
    expect(filesAfter(played(...before), LOST)).toEqual({ log: [7, 7, 7] });
    expect(filesAfter(played(...before, ...sync(1)), LOST)).toEqual({ log: [7] });
  });

  it('loses everything that was written while it ignored synchronizations', () => {
    const disk = new SimulatedDisk();
    disk.ignoresSyncs = true;
    for (const operation of [create(1, 'log'), ...sync(1), ...syncTop()]) disk.play(operation, new Uint8Array(0));
    expect(filesAfter(disk, LOST)).toEqual({});
  });
});
