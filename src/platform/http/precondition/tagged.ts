/** What the tag of a resource is made of: its id and its settings as they are stored. Nothing else moves the tag. */
export type TagSource = Readonly<Record<string, unknown>> & { readonly id: string };

const sources = new WeakMap<object, TagSource>();

/** Says which settings a view shows; its response carries their tag. The tag is made when it is sent. */
export function tagged<View extends object>(view: View, source: TagSource): View {
  sources.set(view, source);
  return view;
}

/** `whole` shows the same resource as `view` and more beside it. */
export function taggedLike<View extends object>(view: object, whole: View): View {
  const source = sources.get(view);
  return source ? tagged(whole, source) : whole;
}

/** The settings that a view shows; `null` when it is not one of a single resource. */
export const shownSettings = (view: unknown): TagSource | null =>
  typeof view === 'object' && view !== null ? (sources.get(view) ?? null) : null;
