# SPDX-License-Identifier: MIT
# The discs of the tippedisk scripts: Table 2.1 (V1) and Table 5.2 (V2), by their dimensions, for awk; A and B through the centre of gravity.
V1='r = 0.045; a = 0.015; b = 0.02; h = 0.01; rho = 7700; g = 9.81; m = rho*pi*(r^2 - a^2)*h; e = b*a^2/(r^2 - a^2)
    A = rho*pi*h/12*(3*r^4 + r^2*h^2 - a^2*h^2 - 3*a^4); B = A - rho*pi*h*a^2*b^2 - m*e^2'
V2='r = 0.045; a = 0.015; b = 0.02; h = 0.01; c = 0.02; rho = 7700; g = 9.81; m = rho*pi*(r^2*h + a^2*(c - h)); e = b*a^2*(c - h)/(r^2*h + a^2*(c - h))
    A = rho*pi/12*(r^2*h*(h^2 + 3*r^2) + a^2*c*(c^2 + 3*a^2) - a^2*h*(h^2 + 3*a^2)); B = A + rho*pi*a^2*(c - h)*b^2 - m*e^2'
closed() { # closed DATA EXPRESSION
    awk "function asin(x) { return atan2(x, sqrt(1 - x*x)) }
        BEGIN { pi = atan2(0, -1); $1; kappa = e/r; zeta = A/B; Omega_c = sqrt((r + e)^2*m*g/(r*B)); printf \"%.15g\\n\", $2 }"
}
