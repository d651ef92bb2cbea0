/* SPDX-License-Identifier: MIT */
/* c_1,2 = (4 -+ sqrt 6)/10. With a = 9^(1/3), b = 81^(1/3) the eigenvalues of A are (6 + b - a)/30
 * and (12 - b + a -+ i sqrt 3 (b + a))/60; below are their inverses. The columns of T are the
 * eigenvector and the parts of the complex one, scaled so that T_32 = 1, T_33 = 0. */
#include "radau_coefficients.h"

const double zw_radau_c[3] = {0.15505102572168219018, 0.64494897427831780982, 1};

const double zw_radau_gamma = 3.6378342527444957322;
const double zw_radau_alpha = 2.6810828736277521339;
const double zw_radau_beta = 3.0504301992474105694;

const double zw_radau_T[3][3] = {
    {0.091232394870892942792, -0.14125529502095420843, -0.030029194105147424492},
    {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
    {0.96604818261509293619, 1, 0},
};
const double zw_radau_T_inverse[3][3] = {
    {4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119},
    {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
    {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497},
};

/* -(13 + 7 sqrt 6)/3, (-13 + 7 sqrt 6)/3, -1/3 */
const double zw_radau_e[3] = {-10.048809399827415562, 1.3821427331607488958, -1. / 3};
