// The calls of the README with the types of openapi-typescript.
import createClient from 'openapi-fetch';
import { equal } from 'node:assert/strict';
import type { paths } from './openapi-typescript';

const client = createClient<paths, 'application/json'>({ baseUrl: process.argv[2] });

async function main(): Promise<void> {
	const cantilever = { L: 3, E: 210e9, I: 8.356e-5, w0: 12000 };
	const any = await client.POST('/api/v1/calc/{id}', { params: { path: { id: 'cantilever-deflection' } }, body: cantilever });
	equal(any.data?.result['delta'], 0.001846406346166997);
	equal(any.data?.verification.tier, 'engine_tested');

	const own = await client.POST('/api/v1/calc/mechanical.statics.cantilever_wall_triangle_outer_moment_at_deflection',
		{ body: { ...cantilever, L: { value: 3000, unit: 'mm' } } });
	equal(own.data?.result.delta, 0.001846406346166997);

	const surface = { emissivity: 0.9, temperature: 350 };
	const current = await client.POST('/api/v1/calc/thermo.radiation.grey_surface', { body: surface });
	equal(current.data?.result.heat_flux, 765.8195051509771);
	const pinned = await client.POST('/api/v1/calc/thermo.radiation.grey_surface',
		{ params: { header: { 'Service-Spec-Version': '1.0.0' } }, body: surface });
	equal(pinned.data?.calculation_version, '1.0.0');
	equal(pinned.data?.result.heat_flux, 765.81850314375);

	const conflict = await client.POST('/api/v1/calc/thermo.radiation.grey_surface',
		{ params: { header: { 'Service-Spec-Version': '1.0.0' } }, body: { ...surface, calculation_version: '2.0.0' } });
	equal(conflict.response.status, 409);
	equal(conflict.error?.code, 'VERSION_PIN_CONFLICT');
	equal(conflict.error?.pins?.length, 2);

	const frozen = await client.POST('/api/v1/share', { body: { tool_id: 'cantilever-deflection', inputs: cantilever } });
	equal(typeof frozen.data?.expires_at, 'string');
	const read = await client.GET('/api/v1/share/{id}', { params: { path: { id: frozen.data?.id ?? '' } } });
	const found = read.data?.result;
	if (!found || !('result' in found)) throw new Error('the snapshot is of no calculation, but of a study');
	equal(found.result['delta'], 0.001846406346166997);

	const list = await client.GET('/api/v1/calc');
	equal(list.data?.count, list.data?.capabilities.length);
}

void main();
