import type { OverviewItem } from '../../api/types';
import { halfHourBeats, halfHourText } from '../../logic/half-hours';
import { shownStatus } from '../../logic/overview-order';
import { now } from '../../state/clock';
import { halfHours } from '../../state/overview-store';
import { Beats } from './beats';

/** Shows an endpoint's last 24 hours as 48 half hours. They mean the same in every row, regardless of the interval. */
export function DayBeats({ item }: { item: OverviewItem }) {
  const beats = halfHourBeats(halfHours.value.get(item.id) ?? '', shownStatus(item));
  return (
    <Beats
      label={`Last 24 hours of ${item.name}`}
      noun="half hour"
      beats={beats}
      slots={48}
      describe={(index) => halfHourText(beats[index]?.outcome ?? null, beats.length - 1 - index, now.peek())}
    />
  );
}
