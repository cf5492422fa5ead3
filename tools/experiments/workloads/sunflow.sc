% SPDX-License-Identifier: MIT
% A scene for the ray tracer sunflow: spheres of several materials in a ring, lit by the sky, with path-traced global
% illumination. One picture takes some seconds of processor time, evenly spread over the picture's parts.

image {
	resolution 320 240
	aa 0 1
	filter gaussian
}

trace-depths {
	diff 2
	refl 4
	refr 4
}

gi {
	type path
	samples 16
}

background {
	color { "sRGB nonlinear" 0.3 0.4 0.6 }
}

camera {
	type pinhole
	eye 0 -11 6
	target 0 0 0.8
	up 0 0 1
	fov 45
	aspect 1.333333
}

light {
	type sunsky
	up 0 0 1
	east 0 1 0
	sundir 1 -1 1.5
	turbidity 4
	samples 8
}

shader {
	name floor
	type diffuse
	diff { "sRGB nonlinear" 0.7 0.7 0.7 }
}

shader {
	name red
	type diffuse
	diff { "sRGB nonlinear" 0.8 0.2 0.2 }
}

shader {
	name blue
	type shiny
	diff { "sRGB nonlinear" 0.2 0.2 0.8 }
	refl 0.3
}

shader {
	name metal
	type mirror
	refl { "sRGB nonlinear" 0.9 0.9 0.8 }
}

shader {
	name clear
	type glass
	eta 1.5
	color { "sRGB nonlinear" 0.95 1.0 0.95 }
}

object {
	shader floor
	type plane
	p 0 0 0
	n 0 0 1
}

object {
	shader metal
	type sphere
	c 0 0 1.6
	r 1.6
}

object {
	shader red
	type sphere
	c 3.5 0 0.9
	r 0.9
}

object {
	shader blue
	type sphere
	c 1.75 3.03 0.9
	r 0.9
}

object {
	shader clear
	type sphere
	c -1.75 3.03 0.9
	r 0.9
}

object {
	shader red
	type sphere
	c -3.5 0 0.9
	r 0.9
}

object {
	shader blue
	type sphere
	c -1.75 -3.03 0.9
	r 0.9
}

object {
	shader clear
	type sphere
	c 1.75 -3.03 0.9
	r 0.9
}
