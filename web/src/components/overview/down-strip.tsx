import { get } from '../../api/client';
import type { OverviewDown } from '../../api/types';
import { peakText, stepText, stripPath, stripText } from '../../logic/down-strip';
import { useEvery, useLoad } from '../../state/load';
import { hideTip, showTip } from '../tip';

/**
 * Shows how many endpoints were down over the last 24 hours, so that users can see when a problem started and how
 * quickly it spread.
 */
export function DownStrip({ endpoints }: { endpoints: number }) {
  const read = useLoad('down', (signal) => get<OverviewDown>('/api/v1/overview/down', signal));
  useEvery(60, read.reload);
  const { value: steps } = read.data;
  // An empty strip keeps its space, because the rows below must not move when the data arrives.
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
        <span>24 hours</span>
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
