import { percent } from '../../logic/format';
import { partText, restsOn } from '../../logic/watched';

interface Props {
  of: number | null | undefined;
  watched: number | null | undefined;
  coverage?: number | null | undefined;
  /** The window in words, such as `90 days`. */
  window: string;
}

/**
 * An uptime. It is muted if it rests on a small part of its window, and the tooltip and screen readers give that part.
 */
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
