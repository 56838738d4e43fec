import type { Request } from 'express';

interface RouteLayer {
  match(path: string): boolean;
  route?: { methods: Record<string, boolean> };
}

/**
 * The methods of a path, read from Express's own route table; empty for an unknown path. Nest makes a wrong method a 404
 * by design; with these the filter makes it a 405.
 */
export function allowedMethods(request: Request): string[] {
  const { stack } = request.app.router as unknown as { stack: RouteLayer[] };
  const methods = new Set<string>();
  for (const layer of stack) {
    if (!layer.route || !layer.match(request.path)) continue;
    for (const method of Object.keys(layer.route.methods)) methods.add(method.toUpperCase());
  }
  methods.delete('_ALL');
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}
