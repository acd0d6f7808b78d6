/**
 * Starts tracing when the standard OpenTelemetry variables name a collector, and loads nothing otherwise. What is
 * traced has to be loaded afterwards. The function that it returns sends pending spans.
 * @param environment the process's variables: `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`,
 * and
 *   `OTEL_SDK_DISABLED` or `OTEL_TRACES_EXPORTER=none` to turn it off
 */
export async function loadTracing(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<(() => Promise<unknown>) | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces } = environment;
  const isOff = environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || environment.OTEL_TRACES_EXPORTER === 'none';
  if (isOff || !(all || traces)) return undefined;
  const { startTracing } = await import('./open-telemetry.js');
  return startTracing();
}
