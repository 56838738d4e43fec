import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { beatPaths, HEIGHT, STEP, type Beat } from '../../logic/beat-shapes';
import { count } from '../../logic/format';
import { hideTip, showTip } from '../tip';
import { sliderOver } from './slider';

interface Props {
  /** The accessible name. */
  label: string;
  /** A noun for a bar, such as `check`. */
  noun: string;
  /** Oldest first. */
  beats: readonly Beat[];
  slots?: number;
  tall?: boolean;
  describe: (index: number) => string;
}

const summary = (beats: readonly Beat[], noun: string): string => {
  const of = (outcome: string) => beats.filter((beat) => beat.outcome === outcome && !beat.planned).length;
  const parts = [`${of('up')} up`, `${of('down')} down`];
  for (const outcome of ['partly', 'degraded', 'unknown'])
    if (of(outcome) > 0) parts.push(`${of(outcome)} ${outcome === 'partly' ? 'partly down' : outcome}`);
  const planned = beats.filter((beat) => beat.planned ?? beat.outcome === 'planned').length;
  if (planned > 0) parts.push(`${planned} in maintenance`);
  const known = beats.filter(({ outcome }) => outcome !== null).length;
  return known === 0 ? 'no checks yet' : `last ${count(known, noun)}: ${parts.join(', ')}`;
};

/** Shows the latest results as bars with tooltips. The arrow keys move from bar to bar. */
export function Beats({ label, noun, beats, slots = 30, tall, describe }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const at = useSignal<number | null>(null);
  const offset = slots - beats.length;
  const last = beats.length - 1;
  const index = at.value === null ? null : Math.min(at.value, last);
  const text = index === null ? summary(beats, noun) : describe(index);
  const paths = beatPaths(beats, slots);

  useEffect(() => {
    if (index === null || !box.current) return;
    const { left, top, width } = box.current.getBoundingClientRect();
    showTip(left + ((index + offset + 0.5) / slots) * width, top, text);
  }, [index, text]);

  const select = (bar: number) => {
    if (last < 0) return;
    at.value = Math.min(Math.max(bar, 0), last);
  };
  const leave = () => {
    at.value = null;
    hideTip();
  };
  const step = (event: KeyboardEvent) => {
    const move = { ArrowLeft: -1, ArrowRight: 1, Home: -slots, End: slots }[event.key];
    if (move === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    select((at.value ?? last) + move);
  };

  return (
    <div
      ref={box}
      class={tall ? 'beats tall' : 'beats'}
      aria-label={label}
      {...sliderOver({ last, index, text, select, leave })}
      onKeyDown={step}
      onPointerMove={(event) => {
        const { left, width } = event.currentTarget.getBoundingClientRect();
        select(Math.floor(((event.clientX - left) / width) * slots) - offset);
      }}
    >
      <svg viewBox={`0 0 ${slots * STEP} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {/* Each bar gets its own element, so that its animation restarts. */}
        <g key={tall && Object.values(paths).join()}>
          <path class="b-none" d={paths.none} />
          <path class="b-up" d={paths.up} />
          <path class="b-degraded" d={paths.degraded} />
          <path class="b-partly" d={paths.partly} />
          <path class="b-planned" d={paths.planned} />
          <path class="b-down" d={paths.down} />
          <path class="b-unknown" d={paths.unknown} />
        </g>
        {index !== null && <rect class="b-at" x={(index + offset) * STEP} y={-1} width={STEP} height={HEIGHT + 2} />}
      </svg>
    </div>
  );
}
