import { percent } from '../../logic/format';
import { partText, restsOn } from '../../logic/watched';

interface Props {
  of: number | null | undefined;
  watched: number | null | undefined;
  coverage?: number | null | undefined;
  /** `90 days` */
  window: string;
}

/** An uptime, muted where it rests on a small part of its window; how small is in its tooltip and read out. */
export function Share({ of, watched, coverage, window }: Props) {
  const part = restsOn(watched, coverage);
  if (of === null || of === undefined || part === null) return <>{percent(of)}</>;
  const note = `based on ${partText(part)} of ${window}, the rest was not monitored`;
  return (
    <span class="thin" title={`${percent(of)} ${note}`}>
      {percent(of)}
      <span class="sr"> {note}</span>
    </span>
  );
}
