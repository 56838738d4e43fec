import { HistoryBacklog } from '../../../src/history/write/history-backlog';
import { MonitoringMetrics } from '../../../src/monitoring/monitoring.metrics';
import { BatchTransaction } from '../../../src/monitoring/record/batch-transaction';
import { BatchWriter } from '../../../src/monitoring/record/batch-writer';
import { CheckRecorder } from '../../../src/monitoring/record/check-recorder';
import { WorkerDatabase } from '../../../src/platform/database/database';
import { DatabaseServer } from '../../../src/platform/database/database-server';
import { Clock } from '../../../src/platform/time/clock';
import type { TestApp } from './app';

/** Returns a recorder's writer. History that can't be written waits along with the app's. */
export const newBatchWriter = ({ app }: TestApp): BatchWriter =>
  new BatchWriter(
    app.get(WorkerDatabase),
    app.get(BatchTransaction),
    app.get(HistoryBacklog),
    app.get(MonitoringMetrics),
    app.get(Clock),
  );

/** Returns a second recorder in addition to the application's, with nothing waiting. */
export const newRecorder = (of: TestApp): CheckRecorder => {
  const { app } = of;
  return new CheckRecorder(newBatchWriter(of), app.get(MonitoringMetrics), app.get(Clock), app.get(DatabaseServer));
};
