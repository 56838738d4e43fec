import { itemOf, items } from '../../state/overview-store';
import { Chooser } from '../form/chooser';

/** Every endpoint as an option; reads them if that has not happened yet. */
export function endpointOptions(): (readonly [id: string, title: string])[] {
  itemOf('');
  return (items.value ?? []).map(({ id, name, website }) => [id, `${name} · ${website.name}`] as const);
}

/** Narrows a list down to a website or an endpoint: `value` is the id of one of them. */
export function TargetFilter({ value, set }: { value: string; set: (value: string) => void }) {
  const websites = new Map((items.value ?? []).map(({ website }) => [website.id, `${website.name} (website)`]));
  return (
    <Chooser
      isFilter
      label="Endpoint or website"
      placeholder="Every endpoint"
      value={value}
      set={set}
      options={[['', 'Every endpoint'], ...websites, ...endpointOptions()]}
    />
  );
}
