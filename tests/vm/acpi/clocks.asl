/* SPDX-License-Identifier: MIT */
/*
 * Clocks of two processors, as the firmware of a real machine describes them, for the kernel's driver acpi-cpufreq. Nobody listens at the
 * ports, so that the driver's word is all that changes.
 */
DefinitionBlock ("", "SSDT", 2, "SHOWST", "CLOCKS", 1)
{
	External (\_SB.CPUS.C000, DeviceObj)
	External (\_SB.CPUS.C001, DeviceObj)

	Scope (\_SB)
	{
		/* Where a state is asked for, and where it is told. */
		Name (SPCT, Package ()
		{
			ResourceTemplate () { Register (SystemIO, 16, 0, 0x0C80) },
			ResourceTemplate () { Register (SystemIO, 16, 0, 0x0C82) }
		})
		/* MHz, mW, two latencies in µs, what is written to the one port and read from the other. */
		Name (SPSS, Package ()
		{
			Package () { 2000, 4000, 10, 10, 0, 0 },
			Package () { 1500, 3000, 10, 10, 1, 1 },
			Package () { 1000, 2000, 10, 10, 2, 2 },
			Package () { 500, 1000, 10, 10, 3, 3 }
		})
	}
	Scope (\_SB.CPUS.C000)
	{
		Method (_PCT) { Return (SPCT) }
		Method (_PSS) { Return (SPSS) }
		Method (_PPC) { Return (0) }
	}
	Scope (\_SB.CPUS.C001)
	{
		Method (_PCT) { Return (SPCT) }
		Method (_PSS) { Return (SPSS) }
		Method (_PPC) { Return (0) }
	}
}
