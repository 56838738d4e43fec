import { Injectable, Global, Module } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';

/** Completes the document, for example with the schemas for registered channels. */
export type OpenApiPart = (document: OpenAPIObject) => void;

/** Parts of the document that modules add because decorators can't express them. */
@Injectable()
export class OpenApiParts {
  private readonly parts: { models: (new () => object)[]; complete: OpenApiPart }[] = [];

  /** `models` lists classes whose schemas must be in the document although no route refers to them. */
  add(models: (new () => object)[], complete: OpenApiPart): void {
    this.parts.push({ models, complete });
  }

  get models(): (new () => object)[] {
    return this.parts.flatMap((part) => part.models);
  }

  complete(document: OpenAPIObject): void {
    for (const part of this.parts) part.complete(document);
  }
}

@Global()
@Module({ providers: [OpenApiParts], exports: [OpenApiParts] })
export class OpenApiModule {}
