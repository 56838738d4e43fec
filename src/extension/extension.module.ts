import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { loadSettings } from '../platform/config/validated-settings';
import type { Composition } from './composition';
import { Conflicts } from './conflicts';
import { ORIGINS, UnawaitedRejections } from './unawaited-rejections';

/** Provides the extensions' settings everywhere, and checks the whole application. */
@Module({})
export class ExtensionModule {
  /** Throws: a `ConfigError` that names every invalid variable. */
  static forRoot(
    { settings, origins }: Composition,
    environment: Readonly<Record<string, string | undefined>>,
  ): DynamicModule {
    const providers = settings.map((type) => ({ provide: type, useValue: loadSettings(type, environment) }));
    return {
      module: ExtensionModule,
      global: true,
      imports: [DiscoveryModule],
      providers: [...providers, Conflicts, UnawaitedRejections, { provide: ORIGINS, useValue: origins }],
      exports: [...settings],
    };
  }
}
