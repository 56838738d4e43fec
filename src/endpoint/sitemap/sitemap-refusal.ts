import type { FieldProblemCode } from '../../platform/problem/problem';

/** The reason why a sitemap is refused. The message is public and quotes nothing from the file. */
export class SitemapRefusal extends Error {
  constructor(
    readonly code: Extract<FieldProblemCode, 'unreachable' | 'invalid_syntax' | 'too_large' | 'too_deep'>,
    message: string,
  ) {
    super(message);
  }
}
