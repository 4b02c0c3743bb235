// The calls of the README with the client of @hey-api/openapi-ts.
import { equal } from 'node:assert/strict';
import {
	calculateById, calculateMechanicalStaticsCantileverWallTriangleOuterMomentAtDeflection, calculateThermoRadiationGreySurface,
	createSnapshot, getSnapshot, listCalculations,
} from './hey-api/sdk.gen';
import { client } from './hey-api/client.gen';

client.setConfig({ baseUrl: process.argv[2] as never });

async function main(): Promise<void> {
	const cantilever = { L: 3, E: 210e9, I: 8.356e-5, w0: 12000 };
	const any = await calculateById({ path: { id: 'cantilever-deflection' }, body: cantilever });
	equal(any.data?.result['delta'], 0.001846406346166997);
	equal(any.data?.verification.tier, 'engine_tested');

	const own = await calculateMechanicalStaticsCantileverWallTriangleOuterMomentAtDeflection({ body: { ...cantilever, L: { value: 3000, unit: 'mm' } } });
	equal(own.data?.result.delta, 0.001846406346166997);

	const body = { emissivity: 0.9, temperature: 350 };
	const current = await calculateThermoRadiationGreySurface({ body });
	equal(current.data?.result.heat_flux, 765.8195051509771);
	const pinned = await calculateThermoRadiationGreySurface({ headers: { 'Service-Spec-Version': '1.0.0' }, body });
	equal(pinned.data?.calculation_version, '1.0.0');
	equal(pinned.data?.result.heat_flux, 765.81850314375);

	const conflict = await calculateThermoRadiationGreySurface({ headers: { 'Service-Spec-Version': '1.0.0' }, body: { ...body, calculation_version: '2.0.0' } });
	equal(conflict.response?.status, 409);
	equal(conflict.error?.code, 'VERSION_PIN_CONFLICT');

	const frozen = await createSnapshot({ body: { tool_id: 'cantilever-deflection', inputs: cantilever } });
	equal(typeof frozen.data?.expires_at, 'string');
	const read = await getSnapshot({ path: { id: frozen.data?.id ?? '' } });
	const found = read.data?.result;
	if (!found || !('result' in found)) throw new Error('the snapshot is of no calculation, but of a study');
	equal(found.result['delta'], 0.001846406346166997);

	const list = await listCalculations();
	equal(list.data?.count, list.data?.capabilities.length);
}

void main();
