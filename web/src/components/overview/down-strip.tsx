import { get } from '../../api/client';
import type { OverviewDown } from '../../api/types';
import { peakText, stepText, stripPath, stripText } from '../../logic/down-strip';
import { useEvery, useLoad } from '../../state/load';
import { hideTip, showTip } from '../tip';

/** How many were down at once, over 24 hours: when did it begin, and was it all at once? */
export function DownStrip({ endpoints }: { endpoints: number }) {
  const read = useLoad('down', (signal) => get<OverviewDown>('/api/v1/overview/down', signal));
  useEvery(60, read.reload);
  const { value: steps } = read.data;
  // It comes after the rows, which must not move then.
  if (!steps) return <figure class="down-strip" aria-hidden="true" />;
  const all = steps.down.length;
  const point = (event: PointerEvent & { currentTarget: Element }) => {
    const { left, top, width } = event.currentTarget.getBoundingClientRect();
    const step = Math.min(Math.max(Math.floor(((event.clientX - left) / width) * all), 0), all - 1);
    showTip(event.clientX, top, stepText(steps, step));
  };
  return (
    <figure class="down-strip">
      <figcaption>
        <span>Last 24 hours</span>
        <span>{peakText(steps)}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${all} 100`}
        preserveAspectRatio="none"
        role="img"
        aria-label={stripText(steps)}
        onPointerMove={point}
        onPointerLeave={hideTip}
      >
        <path d={stripPath(steps.down, endpoints)} />
      </svg>
    </figure>
  );
}
