import { percent } from '../../logic/format';
import { partText, restsOn } from '../../logic/watched';

interface Props {
  of: number | null | undefined;
  watched: number | null | undefined;
  coverage?: number | null | undefined;
  /** The window, such as `90 days`. */
  window: string;
}

/**
 * Shows an uptime. If it is based on a small part of its window, it is muted, and the tooltip and screen readers report
 * how large that part is.
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
